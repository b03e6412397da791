// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.mesh.Identity;
import io.fathom.model.trust.PeerTrust;
import io.fathom.model.trust.PeerTrust.TrustConsent;
import io.fathom.model.trust.TrustBundle;
import io.fathom.verify.lab.LabPod;
import io.fathom.verify.lab.MeshLab;
import io.fathom.verify.lab.ProxyProgram;
import io.fathom.verify.lab.RunningProxy;
import io.fathom.wire.hbone.HboneFailure;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.trust.TrustBundleObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/// Two clusters with roots and trust domains of their own: `west.example` with our node proxy, `cluster.local` behind a
/// stock Envoy as its east-west gateway. Roots are exchanged, then withdrawn.
@Tag("slow")
@Tag("interop")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class TrustExchangeIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String DB = "db.shop.mesh.internal";
    private static final Identity CLIENT = new Identity("west.example", "lab", "client");
    private static final Identity EAST_POD = new Identity("cluster.local", "shop", "server");
    private static final String PEER = """
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata:
              name: istio-remote-peer
              namespace: edge
              labels: {topology.istio.io/cluster: %1$s}
              annotations: {gateway.istio.io/service-account: eastwest, gateway.istio.io/trust-domain: %3$s}
            spec:
              gatewayClassName: istio-remote
              addresses: [{type: IPAddress, value: %2$s}]
              listeners: [{name: hbone, port: 15008, protocol: HBONE}]
            """;

    private static final LabAuthority OF_EAST = new LabAuthority();
    private static final LabAuthority OF_WEST = new LabAuthority();

    private static EastWestLab east;
    private static MeshLab west;
    private static LabPod client;
    private static RunningProxy proxy;
    private static EchoPod db;
    private static int asked;

    @BeforeAll
    static void start() throws Exception {
        var both = Map.of("cluster.local", OF_EAST, "west.example", OF_WEST);
        OF_WEST.trust(both); // of callers that this process plays
        OF_EAST.trust(both);
        east = new EastWestLab(OF_EAST);
        east.service("db", 1, "{solo.io/service-scope: global}");
        db = east.pod("db-1", "{app: db}");
        east.showControlPlane();
        east.write("peer", PEER.formatted("west", "192.0.2.1", "west.example"));
        var _ = east.start().ready();

        var plugged = OF_WEST.plug(east.folder("west-ca"));
        west = new MeshLab(
                Map.of("ROOT_CA_DIR", plugged.toString(), "CLUSTER_ID", "west", "TRUST_DOMAIN", "west.example"));
        west.write(
                "system",
                "{apiVersion: v1, kind: Namespace,"
                        + " metadata: {name: istio-system, labels: {topology.istio.io/network: west}}}");
        var way = east.keep(new PortRelay(west.host(), 15008, east.proxy(), 15008));
        west.write("peer", PEER.formatted("Kubernetes", way.address(), "cluster.local"));
        client = west.pod("client", "node-a");
        proxy = west.proxy(
                "node-a",
                ProxyProgram.ours(),
                Map.of(
                        "CLUSTER_ID", "west",
                        "NETWORK", "west",
                        "TRUST_DOMAIN", "west.example",
                        "ISTIO_META_DNS_CAPTURE", "true"));
    }

    @AfterAll
    static void stop() throws Exception {
        try (var _ = east;
                var _ = west) {
            if (proxy != null) {
                proxy.close();
            }
        }
    }

    private static String bundle(String cluster, String domain, LabAuthority authority) {
        var trust = new PeerTrust(cluster, TrustBundle.of(domain, authority.roots()), TrustConsent.OWN_DOMAIN);
        return Json.compact(TrustBundleObject.tree("istio-system", trust, "fathomctl"));
    }

    private static boolean isLetIn(Identity identity, LabAuthority issuer) {
        return east.caller(identity, issuer).refusal("nothing.shop:1") instanceof HboneFailure.Refused;
    }

    private static boolean isLetIntoThePod(Identity identity, LabAuthority issuer) {
        return east.caller(identity, issuer, CLIENT, client.ip()).refusal("192.0.2.7:1")
                instanceof HboneFailure.Refused;
    }

    @Test
    @Order(1)
    void givenRootsOfTheirOwn_whenNotExchanged_thenNeitherLetsTheOtherIn() {
        assertThat(isLetIn(EAST_POD, OF_EAST)).isTrue();
        assertThat(isLetIn(CLIENT, OF_WEST)).isFalse();
        Awaitility.await().atMost(PATIENCE).until(() -> isLetIntoThePod(CLIENT, OF_WEST));
        assertThat(isLetIntoThePod(EAST_POD, OF_EAST)).isFalse();
        assertThat(dig(DB)).isEmpty();
    }

    @Test
    @Order(2)
    void whenExchanged_thenServicesAreFoundAndCalled_byTheIdentityOfTheClient() {
        east.write("trust-west", bundle("west", "west.example", OF_WEST));
        west.write("trust-east", bundle("Kubernetes", "cluster.local", OF_EAST));
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(ask(DB)).contains("x-pod: db-1"));
        assertThat(db.tunnels())
                .anySatisfy(tunnel -> assertThat(tunnel.tls().identities()).containsExactly(CLIENT));
        Awaitility.await().atMost(PATIENCE).until(() -> isLetIn(CLIENT, OF_WEST));
        Awaitility.await().atMost(PATIENCE).until(() -> isLetIntoThePod(EAST_POD, OF_EAST));
    }

    @Test
    @Order(3)
    void givenExchangedRoots_whenOneClusterIssuesIdentitiesOfTheOther_thenTheyAreRefused() {
        assertThat(isLetIn(EAST_POD, OF_WEST)).isFalse();
        assertThat(isLetIn(new Identity("cluster.local", "istio-system", "istiod"), OF_WEST))
                .isFalse();
        assertThat(isLetIn(CLIENT, OF_EAST)).isFalse();
        assertThat(isLetIn(new Identity("elsewhere.example", "lab", "client"), OF_WEST))
                .isFalse();
        assertThat(isLetIntoThePod(CLIENT, OF_EAST)).isFalse();
        assertThat(isLetIntoThePod(EAST_POD, OF_WEST)).isFalse();
    }

    @Test
    @Order(4)
    void whenWithdrawn_thenNeitherLetsTheOtherIn_withoutARestart() {
        west.remove("trust-east");
        Awaitility.await().atMost(PATIENCE).until(() -> !isLetIntoThePod(EAST_POD, OF_EAST));
        assertThat(ask(DB)).doesNotContain("x-pod");
        east.remove("trust-west");
        Awaitility.await().atMost(PATIENCE).until(() -> !isLetIn(CLIENT, OF_WEST));
        assertThat(isLetIn(EAST_POD, OF_EAST)).isTrue();
    }

    private static String dig(String host) {
        return run("dig", "+short", "+time=2", "@127.0.0.1", "-p", "15053", host)
                .lines()
                .filter(line -> line.matches("[0-9.]+"))
                .findFirst()
                .orElse("");
    }

    private static String ask(String host) {
        var address = dig(host);
        return address.isEmpty() ? "" : run("curl", "-sS", "-i", "--max-time", "5", "http://" + address + "/");
    }

    private static String run(String... command) {
        var name = "ask-" + asked++;
        try {
            west.run(client, name, List.of(command)).waitFor();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return west.log(name);
    }
}
