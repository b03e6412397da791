// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.base.lang.Problem;
import io.fathom.fleet.agent.AgentConfig.GatewaySettings;
import io.fathom.model.fleet.Audience;
import io.fathom.model.fleet.GatewayAddress;
import io.fathom.model.fleet.GatewayFact;
import io.fathom.wire.kube.ManifestReader;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.Reading;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.tree.Json;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LocalGatewayTest {
    private static final GatewaySettings SETTINGS = new GatewaySettings(
            "istio-eastwest",
            "istio-system",
            Optional.empty(),
            "cluster.local",
            new GatewayFact.Place("eu-1", ""),
            AgentConfig.ServiceSource.PEER);
    private static final String SPEC = "\"addresses\":[{\"type\":\"IPAddress\",\"value\":\"10.0.0.1\"}],";
    private static final String STATUS =
            ",\"status\":{\"addresses\":[{\"type\":\"Hostname\",\"value\":\"lb.example.com\"}]}";

    private static LocalGateway find(String... texts) {
        var reader = new ManifestReader(ReaderConfig.of("west", "", "istio-system"));
        var gateways = Stream.of(texts)
                .flatMap(text -> reader.read(Json.parse("gateway", text), _ -> Instant.EPOCH).stream())
                .map(reading -> (GatewayManifest) ((Reading.Good) reading).manifest())
                .toList();
        return LocalGateway.find("west", gateways, SETTINGS);
    }

    private static LocalGateway find(String labels, String annotations, String spec, String status) {
        return find("""
            {"apiVersion":"gateway.networking.k8s.io/v1","kind":"Gateway",
             "metadata":{"name":"istio-eastwest","namespace":"istio-eastwest","labels":{%s},"annotations":{%s}},
             "spec":{"gatewayClassName":"istio-east-west",%s
              "listeners":[{"name":"mesh","port":15008,"protocol":"HBONE","tls":{"mode":"Terminate"}},
                           {"name":"xds-tls","port":15012,"protocol":"TLS","tls":{"mode":"Passthrough"}}]}%s}""".formatted(labels, annotations, spec, status));
    }

    private static List<String> hosts(LocalGateway found) {
        return found.fact().orElseThrow().candidates().stream()
                .map(address -> address.kind() + " " + address.host() + " " + address.hbonePort())
                .toList();
    }

    @Test
    void givenAnAddressInTheSpecOnly_thenThatIsIt() {
        var found = find("", "", SPEC, "");

        assertThat(hosts(found)).containsExactly("LB_IP 10.0.0.1 15008");
        var fact = found.fact().orElseThrow();
        assertThat(fact.network()).isEqualTo("west");
        assertThat(fact.serviceAccount()).isEqualTo("istio-eastwest");
        assertThat(fact.place().region()).isEqualTo("eu-1");
        assertThat(fact.candidates()).extracting(GatewayAddress::xdsPort).containsExactly(15012);
    }

    @Test
    void givenAnAddressInTheStatus_thenItWins() {
        assertThat(hosts(find("", "", SPEC, STATUS))).containsExactly("LB_HOST lb.example.com 15008");
    }

    @Test
    void givenAnAnnotation_thenItWinsOverAll() {
        var annotation = "\"fleet.fathom.io/advertise\":\"192.0.2.1:30008, edge.example.com, fd00::1, [fd00::2]:9\"";

        assertThat(hosts(find("", annotation, SPEC, STATUS)))
                .containsExactly(
                        "STATIC 192.0.2.1 30008",
                        "STATIC edge.example.com 15008",
                        "STATIC fd00::1 15008",
                        "STATIC fd00::2 9");
    }

    @Test
    void givenLabelsAndAnnotations_thenTheyCount() {
        var fact = find(
                        "\"topology.istio.io/network\":\"net-1\",\"topology.kubernetes.io/zone\":\"a\"",
                        "\"gateway.istio.io/service-account\":\"gw\",\"fleet.fathom.io/distribute-to\":\"east,south\"",
                        SPEC,
                        "")
                .fact()
                .orElseThrow();

        assertThat(fact.network()).isEqualTo("net-1");
        assertThat(fact.place().zone()).isEqualTo("a");
        assertThat(fact.serviceAccount()).isEqualTo("gw");
        assertThat(fact.audience()).isEqualTo(new Audience.Named(Set.of("east", "south")));
    }

    @Test
    void givenNoGatewayOrNoAddress_thenThereIsNothingToSay_andAProblem() {
        assertThat(find().problems()).extracting(Problem::code).containsExactly("no-east-west-gateway");
        var without = find("", "", "", "");
        assertThat(without.fact()).isEmpty();
        assertThat(without.problems()).extracting(Problem::code).containsExactly("gateway-without-address");
    }

    @Test
    void givenADescriptionThatIsNotOurs_thenItIsWhatOthersLearn() {
        var description = """
            {"apiVersion":"gateway.networking.k8s.io/v1","kind":"Gateway",
             "metadata":{"name":"istio-remote-peer-west","namespace":"istio-eastwest",
              "labels":{"app.kubernetes.io/managed-by":"%s","fleet.fathom.io/origin-uid":"uid-west","topology.istio.io/network":"net-west"},
              "annotations":{"gateway.istio.io/trust-domain":"west.example"}},
             "spec":{"gatewayClassName":"istio-remote","addresses":[{"type":"IPAddress","value":"10.9.9.9"}],
              "listeners":[{"name":"cross-network","port":15008,"protocol":"HBONE"}]}}""";

        var fact = find(description.formatted("fathomd")).fact().orElseThrow();
        assertThat(fact.candidates().getFirst().host()).isEqualTo("10.9.9.9");
        assertThat(fact.network()).isEqualTo("net-west");
        assertThat(fact.serviceAccount()).isEqualTo("istio-eastwest");
        assertThat(fact.trustDomain()).isEqualTo("west.example");
        assertThat(find(description.formatted("fathom-fleet")).fact()).isEmpty();
    }
}
