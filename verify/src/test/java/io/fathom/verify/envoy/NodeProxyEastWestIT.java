// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.mesh.Identity;
import io.fathom.verify.lab.LabPod;
import io.fathom.verify.lab.MeshLab;
import io.fathom.verify.lab.ProxyProgram;
import io.fathom.verify.lab.RunningProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Our node proxy as the client of another cluster, through the stock Envoy that is the east-west gateway there. All
/// that it knows of that cluster its control plane learnt from the control plane there, through the same gateway.
@Tag("slow")
@Tag("interop")
class NodeProxyEastWestIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String SHARED = "{solo.io/service-scope: global}";
    private static final String DB = "db.shop.mesh.internal";
    private static final String PEER = """
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata:
              name: istio-remote-peer%3$s
              namespace: edge
              labels: {topology.istio.io/cluster: %1$s}
              annotations: {gateway.istio.io/service-account: eastwest}
            spec:
              gatewayClassName: istio-remote
              addresses: [{type: IPAddress, value: %2$s}]
              listeners: [{name: hbone, port: 15008, protocol: HBONE}]
            """;

    private static EastWestLab east;
    private static MeshLab west;
    private static LabPod client;
    private static RunningProxy proxy;
    private static PortRelay way;
    private static final List<EchoPod> pods = new ArrayList<>();
    private static int asked;

    @BeforeAll
    static void start() throws Exception {
        var authority = new LabAuthority();
        east = new EastWestLab(authority);
        east.service("db", 1, SHARED);
        east.service("guarded", 2, "{solo.io/service-scope: global, istio.io/use-waypoint: waypoint}");
        pods.add(east.pod("db-1", "{app: db}"));
        pods.add(east.pod("db-2", "{app: db}"));
        east.pod("guarded-1", "{app: guarded}");
        east.showControlPlane();
        east.write("peer", PEER.formatted("west", "192.0.2.1", ""));
        var _ = east.start().ready();

        var roots = authority.plug(east.folder("west-ca"));
        west = new MeshLab(Map.of("ROOT_CA_DIR", roots.toString(), "CLUSTER_ID", "west"));
        west.write(
                "system",
                "{apiVersion: v1, kind: Namespace,"
                        + " metadata: {name: istio-system, labels: {topology.istio.io/network: west}}}");
        way = east.keep(new PortRelay(west.host(), 15008, east.proxy(), 15008));
        west.write("peer", PEER.formatted("Kubernetes", way.address(), ""));
        client = west.pod("client", "node-a");
        proxy = west.proxy(
                "node-a",
                ProxyProgram.ours(),
                Map.of("CLUSTER_ID", "west", "NETWORK", "west", "ISTIO_META_DNS_CAPTURE", "true"));
    }

    @AfterAll
    static void stop() throws Exception {
        try (var _ = east;
                var _ = west) {
            proxy.close();
        }
    }

    /// Cases 16, 17 and 25; the name is one that only the control plane of the other cluster knows.
    @Test
    void givenServiceOfTheOtherClusterAlone_whenItsNameIsCalled_thenAllPodsThereGetTheirShare() {
        var seen = new HashSet<String>();
        Awaitility.await().atMost(PATIENCE).ignoreExceptions().until(() -> {
            var answer = ask(DB);
            pods.stream().map(EchoPod::name).filter(answer::contains).forEach(seen::add);
            return seen.equals(Set.of("db-1", "db-2"));
        });
        assertThat(pods)
                .allSatisfy(pod -> assertThat(pod.tunnels()).anySatisfy(tunnel -> {
                    assertThat(tunnel.tls().toString()).contains(new Identity("cluster.local", "lab", "client").uri());
                    assertThat(tunnel.headers().authority()).isEqualTo(DB + ":80");
                    assertThat(tunnel.headers().forwardedNetwork()).contains("west");
                }));
    }

    /// Case 20.
    @Test
    void givenWaypointThere_whenTheServiceIsCalled_thenTheWaypointAnswers() {
        Awaitility.await()
                .atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> ask("guarded.shop.mesh.internal").contains("waypoint-1"));
    }

    @Test
    void givenSecondGatewayThatIsGone_whenCalled_thenNoCallFails() {
        Awaitility.await().atMost(PATIENCE).ignoreExceptions().until(() -> ask(DB).contains("x-pod: db-"));
        var gone = west.bystander("gone").ip(); // nobody listens there
        west.write("gone", PEER.formatted("Kubernetes", gone, "-gone"));
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(proxy.get(15000, "/config_dump")).contains(gone));
        for (int i = 0; i < 20; i++) {
            assertThat(ask(DB)).contains("x-pod: db-");
        }
        west.remove("gone");
    }

    /// Two Gateways at one address are two ways. One of them dies like a machine without power: what is open stays
    /// open, and nobody answers.
    @Test
    void case24_givenTwoGatewaysAtOneAddress_whenOneSwallows_thenEveryCallIsAnsweredByWayOfTheOther() throws Exception {
        var other = east.keep(new PortRelay(west.host(), 15009, east.proxy(), 15008));
        west.write(
                "other", PEER.formatted("Kubernetes", other.address(), "-other").replace("15008", "15009"));
        Awaitility.await().atMost(PATIENCE).ignoreExceptions().until(() -> {
            var _ = ask(DB);
            return other.connections() > 0;
        });
        way.swallow();
        var longest = 0L;
        for (int i = 0; i < 12; i++) {
            var begun = System.nanoTime();
            assertThat(ask(DB)).contains("x-pod: db-");
            longest = Math.max(longest, (System.nanoTime() - begun) / 1_000_000);
        }
        System.out.println("node proxy, gateway swallows: longest call " + longest + " ms");
        assertThat(longest).isLessThan(3500);
        way.spit();
        other.close();
        west.remove("other");
        Awaitility.await().atMost(PATIENCE).ignoreExceptions().until(() -> ask(DB).contains("x-pod: db-"));
    }

    /// A stock node proxy, with our control plane and our gateway between it and the pods.
    @Test
    void case25_givenStockNodeProxy_whenItCallsANameOfTheOtherCluster_thenAPodThereAnswers() throws Exception {
        var program = ProxyProgram.stock();
        Assumptions.assumeTrue(program.isPresent(), "ZTUNNEL_BIN names no stock ztunnel");
        var pod = west.pod("stock-client", "node-b");
        var settings = Map.of("CLUSTER_ID", "west", "NETWORK", "west", "ISTIO_META_DNS_CAPTURE", "true");
        try (var _ = west.proxy("node-b", program.get(), settings)) {
            Awaitility.await()
                    .atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(() -> ask(pod, DB).contains("x-pod: db-"));
            Awaitility.await()
                    .atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(() -> ask(pod, "guarded.shop.mesh.internal").contains("waypoint-1"));
        }
        assertThat(pods)
                .anySatisfy(found -> assertThat(found.tunnels())
                        .anySatisfy(
                                tunnel -> assertThat(tunnel.tls().toString()).contains("stock-client")));
    }

    /// What curl prints, for the address that our DNS tells.
    private static String ask(String host) {
        return ask(client, host);
    }

    private static String ask(LabPod from, String host) {
        var address = run(from, "dig", "+short", "+time=2", "@127.0.0.1", "-p", "15053", host)
                .lines()
                .filter(line -> line.matches("[0-9.]+"))
                .findFirst()
                .orElseThrow(() -> new AssertionError(host + " is not known"));
        return run(from, "curl", "-sS", "-i", "--max-time", "5", "http://" + address + "/");
    }

    private static String run(LabPod from, String... command) {
        var name = "ask-" + asked++;
        try {
            west.run(from, name, List.of(command)).waitFor();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return west.log(name);
    }
}
