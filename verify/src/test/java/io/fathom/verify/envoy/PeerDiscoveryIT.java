// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.mesh.Identity;
import io.fathom.model.peering.ControlPlanes;
import io.fathom.verify.client.RunningFathomd;
import io.fathom.wire.hbone.HboneFailure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A control plane that learns of another cluster's services through the HBONE port of its east-west gateway, a stock
/// Envoy, and by nothing else. The Gateway for that cluster is the plain one, but for the account of the gateway.
@Tag("interop")
class PeerDiscoveryIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Identity CONTROL_PLANE = new Identity("cluster.local", "istio-system", "istiod");
    private static final String PEER = """
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata:
              name: istio-remote-peer
              namespace: edge
              labels: {topology.istio.io/cluster: %1$s}
              annotations: {gateway.istio.io/service-account: eastwest}
            spec:
              gatewayClassName: istio-remote
              addresses: [{type: IPAddress, value: %2$s}]
              listeners: [{name: hbone, port: 15008, protocol: HBONE}]
            """;

    private static EastWestLab east;
    private static RunningFathomd west;
    private static Path westFolder;

    @BeforeAll
    static void start() throws Exception {
        east = new EastWestLab(new LabAuthority());
        east.service("plain", 1, "{istio.io/global: \"true\"}");
        east.service("local", 4, "{}");
        east.pod("plain-1", "{app: plain}");
        east.pod("plain-2", "{app: plain}");
        east.showControlPlane();
        east.write("peer", PEER.formatted("west", "192.0.2.1"));
        var _ = east.start().ready();
        westFolder = east.folder("west");
        Files.writeString(westFolder.resolve("namespaces.yaml"), """
                {apiVersion: v1, kind: Namespace, metadata: {name: istio-system, labels: {topology.istio.io/network: west}}}
                ---
                {apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {istio.io/dataplane-mode: ambient}}}
                """);
        Files.writeString(westFolder.resolve("peer.yaml"), PEER.formatted("Kubernetes", east.proxy()));
        Files.writeString(westFolder.resolve("plain.yaml"), """
                apiVersion: v1
                kind: Service
                metadata: {name: plain, namespace: shop, labels: {istio.io/global: "true"}}
                spec: {clusterIP: 10.96.0.1, selector: {app: plain}, ports: [{name: http, port: 80, targetPort: 8080}]}
                """);
        west = east.other(westFolder, "west");
    }

    @AfterAll
    static void stop() {
        east.close();
    }

    @Test
    void givenTheHbonePortAlone_whenLinked_thenServicesOfTheOtherClusterAreKnown_andItsPodsAreNot() {
        var uid = "east/SplitHorizonWorkload/edge/istio-remote-peer/" + east.proxy()
                + "/shop/plain.shop.svc.cluster.local";
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(capacity(uid)).isEqualTo(2));
        var all = west.json("/debug/ambientz").toString();
        assertThat(all).contains("spiffe://cluster.local/ns/shop/sa/server").doesNotContain("plain-1", "/shop/local.");
        var clusters = west.json("/debug/clusterz");
        assertThat(clusters.at("/1/syncStatus").asText()).isEqualTo("synced");
    }

    @Test
    void givenNoControlPlane_whenTheControlPlaneIsAskedFor_thenTheTunnelIsRefused() {
        assertThat(status(EastWestLab.SERVER)).isEqualTo(403);
        assertThat(status(EastWestLab.GATEWAY)).isEqualTo(403);
        assertThat(status(new Identity("cluster.local", "shop", "istiod"))).isEqualTo(403);
    }

    @Test
    void givenControlPlane_whenItAsksForAnythingElse_thenTheTunnelIsRefused() {
        var caller = east.caller(CONTROL_PLANE);
        for (var authority :
                new String[] {"control-plane.mesh.internal:15010", "169.254.169.254:80", "local.shop:80"}) {
            assertThat(((HboneFailure.Refused) caller.refusal(authority)).status())
                    .as(authority)
                    .isEqualTo(503);
        }
    }

    private static int status(Identity identity) {
        return ((HboneFailure.Refused) east.caller(identity).refusal(ControlPlanes.AUTHORITY)).status();
    }

    private static int capacity(String uid) {
        for (var workload : west.json("/debug/ambientz").at("/workloads")) {
            if (workload.at("/uid").asText().equals(uid)) {
                return workload.at("/capacity").asInt();
            }
        }
        return 0;
    }
}
