// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.fleet.agent.AgentConfig.GatewaySettings;
import io.fathom.model.fleet.GatewayFact;
import io.fathom.wire.kube.ManifestReader;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.Reading;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.tree.Json;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class NodeReachTest {
    private static final String INTERNAL = "Hostname istio-eastwest.istio-eastwest.svc.cluster.local";

    private static KubeObject object(String text) {
        return new KubeObject(Json.parse("object", text));
    }

    private static KubeObject service(String policy) {
        return object("""
                {"metadata": {"name": "istio-eastwest", "namespace": "istio-eastwest",
                              "labels": {"gateway.networking.k8s.io/gateway-name": "istio-eastwest"}},
                 "spec": {"type": "NodePort", "externalTrafficPolicy": "%s", "clusterIPs": ["10.96.0.9"],
                          "ports": [{"port": 15008, "nodePort": 31008}, {"port": 15012, "nodePort": 31012}]}}""".formatted(policy));
    }

    private static KubeObject slice(String node, boolean ready) {
        return object("""
                {"metadata": {"name": "s-%1$s", "namespace": "istio-eastwest",
                              "labels": {"kubernetes.io/service-name": "istio-eastwest"}},
                 "endpoints": [{"addresses": ["10.0.0.1"], "nodeName": "%1$s", "conditions": {"ready": %2$s}}]}""".formatted(node, ready));
    }

    private static KubeObject node(String name, String ready, String... addresses) {
        var list = Stream.of(addresses)
                .map(address -> "{\"type\": \"%s\", \"address\": \"%s\"}".formatted((Object[]) address.split(" ", -1)))
                .toList();
        return object("""
                {"metadata": {"name": "%s"},
                 "status": {"conditions": [{"type": "Ready", "status": "%s"}], "addresses": %s}}""".formatted(name, ready, list));
    }

    private static List<String> candidates(NodeReach reach, String annotations, String... status) {
        var addresses = Stream.of(status)
                .map(address -> "{\"type\": \"%s\", \"value\": \"%s\"}".formatted((Object[]) address.split(" ", -1)))
                .toList();
        var text = """
                {"apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway",
                 "metadata": {"name": "istio-eastwest", "namespace": "istio-eastwest", "annotations": {%s}},
                 "spec": {"gatewayClassName": "istio-east-west", "listeners": [
                   {"name": "mesh", "port": 15008, "protocol": "HBONE", "tls": {"mode": "Terminate"}},
                   {"name": "xds-tls", "port": 15012, "protocol": "TLS", "tls": {"mode": "Passthrough"}}]},
                 "status": {"addresses": %s}}""".formatted(annotations, addresses);
        var reader = new ManifestReader(ReaderConfig.of("west", "", "istio-system"));
        var seen = reader.read(Json.parse("gateway", text), _ -> Instant.EPOCH).stream()
                .map(reading -> reach.outside((GatewayManifest) ((Reading.Good) reading).manifest()))
                .toList();
        var settings = new GatewaySettings(
                "istio-eastwest",
                "istio-system",
                Optional.empty(),
                "cluster.local",
                new GatewayFact.Place("", ""),
                AgentConfig.ServiceSource.PEER);
        return LocalGateway.find("west", seen, settings).fact().stream()
                .flatMap(fact -> fact.candidates().stream())
                .map(it -> it.kind() + " " + it.host() + " " + it.hbonePort() + " " + it.xdsPort())
                .toList();
    }

    /// Control planes ask through the HBONE port then.
    @Test
    void givenNoLoadBalancer_thenNodesThatAreReadyStandForIt_byTheirExternalAddresses() {
        var reach = new NodeReach(
                List.of(service("Cluster")),
                List.of(),
                List.of(
                        node("b", "True", "InternalIP 10.1.0.2", "Hostname b"),
                        node("a", "True", "InternalIP 10.1.0.1", "ExternalIP 192.0.2.1"),
                        node("c", "False", "InternalIP 10.1.0.3")));

        assertThat(candidates(reach, "", INTERNAL)).containsExactly("NODE 192.0.2.1 31008 0", "NODE 10.1.0.2 31008 0");
    }

    @Test
    void givenThePolicyLocal_thenOnlyNodesWithAReadyEndpointCount() {
        var reach = new NodeReach(
                List.of(service("Local")),
                List.of(slice("a", false), slice("b", true)),
                List.of(node("a", "True", "InternalIP 10.1.0.1"), node("b", "True", "InternalIP 10.1.0.2")));

        assertThat(candidates(reach, "")).containsExactly("NODE 10.1.0.2 31008 0");
    }

    @Test
    void givenALoadBalancer_orWhatAnOperatorSays_thenThatWins() {
        var reach = new NodeReach(
                List.of(service("Cluster")), List.of(), List.of(node("a", "True", "InternalIP 10.1.0.1")));

        assertThat(candidates(reach, "", "IPAddress 198.51.100.7")).containsExactly("LB_IP 198.51.100.7 15008 15012");
        assertThat(candidates(reach, "", "Hostname lb.example.com"))
                .containsExactly("LB_HOST lb.example.com 15008 15012");
        assertThat(candidates(reach, "\"fleet.fathom.io/advertise\": \"gw.example.com:443\""))
                .allMatch(candidate -> candidate.startsWith("STATIC gw.example.com 443"));
    }

    @Test
    void givenAddressesThatOnlyTheClusterKnows_andNoNodes_thenThereAreNone() {
        var reach = new NodeReach(List.of(service("Cluster")), List.of(), List.of());

        assertThat(candidates(reach, "", INTERNAL)).isEmpty();
        assertThat(candidates(reach, "", "IPAddress 10.96.0.9")).isEmpty();
        assertThat(candidates(NodeReach.NONE, "", INTERNAL)).isEmpty();
    }
}
