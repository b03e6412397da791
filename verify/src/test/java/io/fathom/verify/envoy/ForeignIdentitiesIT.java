// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.trust.PeerTrust;
import io.fathom.model.trust.PeerTrust.TrustConsent;
import io.fathom.model.trust.TrustBundle;
import io.fathom.verify.client.ResourceType;
import io.fathom.verify.lab.LabPod;
import io.fathom.verify.lab.LabWaypoint;
import io.fathom.verify.lab.MeshLab;
import io.fathom.verify.lab.ProxyProgram;
import io.fathom.verify.lab.RunningProxy;
import io.fathom.wire.hbone.ConnectHeaders;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.trust.TrustBundleObject;
import io.fathom.wire.xds.store.XdsType;
import io.grpc.Status;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Our cluster trusts the root of another one, for `other.example`: what clients with certificates of that root get at
/// a stock Envoy as east-west gateway, at one as waypoint, at our node proxy and at our control plane, by their names
/// and by policies. The other cluster is hostile in some of it: it issues names of ours.
@Tag("slow")
@Tag("interop")
class ForeignIdentitiesIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Identity GATEWAY = new Identity("cluster.local", "lab", "gate");
    private static final Identity WAYPOINT = new Identity("cluster.local", "lab", "wp");
    private static final Identity SERVER = new Identity("cluster.local", "lab", "server");
    private static final Identity GUARDED = new Identity("cluster.local", "lab", "guarded");
    private static final Identity VISITOR = new Identity("other.example", "shop", "visitor");
    /// The last two so that it is their certificates that others fail with.
    private static final String PRINCIPALS =
            "other.example/ns/shop/sa/visitor, cluster.local/ns/shop/sa/clerk, third.example/*";

    private static final String REQUEST = "GET / HTTP/1.1\r\nhost: shop\r\nconnection: close\r\n\r\n";

    private static final LabAuthority OURS = new LabAuthority();
    private static final LabAuthority THEIRS = new LabAuthority();
    private static final MultiThreadIoEventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private static final List<AutoCloseable> parts = new ArrayList<>();
    private static MeshLab lab;
    private static LabPod gate;
    private static LabPod server;
    private static LabWaypoint waypoint;
    private static RunningProxy proxy;

    @BeforeAll
    static void start(@TempDir Path folder) throws Exception {
        var both = Map.of("cluster.local", OURS, "other.example", THEIRS);
        OURS.trust(both); // of callers that this process plays
        THEIRS.trust(both);
        lab = new MeshLab(Map.of("ROOT_CA_DIR", OURS.plug(folder).toString()));
        lab.write(
                "system",
                "{apiVersion: v1, kind: Namespace,"
                        + " metadata: {name: istio-system, labels: {topology.istio.io/network: east}}}");
        var trust = new PeerTrust("other", TrustBundle.of("other.example", THEIRS.roots()), TrustConsent.OWN_DOMAIN);
        lab.write("trust", Json.compact(TrustBundleObject.tree("istio-system", trust, "fathomctl")));
        service("server", 1, "{istio.io/global: \"true\"}");
        service("guarded", 2, "{istio.io/global: \"true\", istio.io/use-waypoint: wp}");
        lab.write("policies", """
                apiVersion: security.istio.io/v1
                kind: AuthorizationPolicy
                metadata: {name: visitors, namespace: lab}
                spec:
                  selector: {matchLabels: {app: server}}
                  rules: [{from: [{source: {principals: [%s]}}]}]
                ---
                apiVersion: security.istio.io/v1
                kind: AuthorizationPolicy
                metadata: {name: visitors-at-waypoint, namespace: lab}
                spec:
                  targetRefs: [{group: "", kind: Service, name: guarded}]
                  rules: [{from: [{source: {principals: [%s]}}]}]
                """.formatted(PRINCIPALS, PRINCIPALS));
        server = lab.pod("server", "node-a");
        for (var pod : List.of(server, lab.pod("guarded", "node-a"))) {
            lab.run(pod, "web-" + pod.name(), List.of("python3", "-m", "http.server", "8080"));
        }
        gate = lab.bystander("gate-1");
        var _ = lab.eastWest("gate", gate);
        waypoint = lab.waypoint("wp");
        proxy = lab.proxy("node-a", ProxyProgram.ours(), Map.of("NETWORK", "east"));
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> answer(VISITOR, VISITOR, THEIRS, "server").contains("200"));
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> answer(VISITOR, VISITOR, THEIRS, "guarded").contains("200"));
        // and the policies are there
        var nobody = identity("cluster.local/ns/shop/sa/nobody");
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> answer(nobody, nobody, OURS, "server").isEmpty());
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> answer(nobody, nobody, OURS, "guarded").contains("403"));
    }

    @AfterAll
    static void stop() throws Exception {
        try (var _ = lab) {
            for (var part : parts) {
                part.close();
            }
            proxy.close();
        }
        var _ = loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    private static void service(String name, int vip, String labels) {
        lab.write("service-" + name, """
                apiVersion: v1
                kind: Service
                metadata: {name: %1$s, namespace: lab, labels: %3$s}
                spec:
                  clusterIP: 10.96.77.%2$d
                  selector: {app: %1$s}
                  ports: [{name: http, port: 80, targetPort: 8080}]
                """.formatted(name, vip, labels));
    }

    private static Identity identity(String uri) {
        return Identity.parse("spiffe://" + uri).orElseThrow();
    }

    /// The first line that a service says through the gateway; nothing if it was refused.
    ///
    /// @param outside who opens the tunnel to the gateway
    /// @param inside who opens the tunnel in that
    private static String answer(Identity outside, Identity inside, LabAuthority issuer, String service) {
        var to = ConnectHeaders.to(service + ".lab.svc.cluster.local:80");
        return caller(outside, issuer, GATEWAY, gate.ip())
                .attempt(to, inside, to, Set.of(SERVER, GUARDED, WAYPOINT))
                .firstLine(REQUEST);
    }

    private static Caller caller(Identity who, LabAuthority issuer, Identity whom, String ip) {
        var caller = new Caller(who, whom, IpPort.parse(ip + ":15008").orElseThrow(), issuer, loops.next());
        parts.add(caller);
        return caller;
    }

    /// By the identity of the other domain, after roots were exchanged: at the node proxy and at the waypoint.
    @ParameterizedTest(name = "{0}: {1}, {2}")
    @CsvSource({
        "other.example/ns/shop/sa/visitor,  HTTP/1.0 200 OK, HTTP/1.1 200 OK",
        "other.example/ns/shop/sa/stranger, '',              HTTP/1.1 403 Forbidden",
        "other.example/ns/lab/sa/visitor,   '',              HTTP/1.1 403 Forbidden"
    })
    void givenPolicyThatNamesAVisitor_whenOthersOfThatDomainCall_thenTheyAreRefused(
            String who, String server, String guarded) {
        var identity = identity(who);
        assertThat(answer(identity, identity, THEIRS, "server")).isEqualTo(server);
        assertThat(answer(identity, identity, THEIRS, "guarded")).isEqualTo(guarded);
    }

    /// The same names of our own domain are somebody else.
    @Test
    void givenPolicyThatNamesAVisitor_whenItsNamesakeHereCalls_thenItIsRefused() {
        var namesake = identity("cluster.local/ns/shop/sa/visitor");
        assertThat(answer(namesake, namesake, OURS, "server")).isEmpty();
        assertThat(answer(namesake, namesake, OURS, "guarded")).isEqualTo("HTTP/1.1 403 Forbidden");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "cluster.local/ns/shop/sa/clerk",
        "cluster.local/ns/lab/sa/wp",
        "cluster.local/ns/istio-system/sa/istiod",
        "third.example/ns/shop/sa/visitor"
    })
    void givenNamesOfOtherDomains_whenThatClusterIssuesThem_thenNobodyBelievesIt(String forged) {
        var who = identity(forged);
        assertThat(answer(who, VISITOR, THEIRS, "server"))
                .as("outside, at the gateway")
                .isEmpty();
        assertThat(answer(VISITOR, who, THEIRS, "server"))
                .as("inside, at the node proxy")
                .isEmpty();
        assertThat(answer(VISITOR, who, THEIRS, "guarded"))
                .as("inside, at the waypoint")
                .isEmpty();
        assertThat(direct(who, THEIRS, SERVER, server.ip(), server.ip() + ":8080"))
                .as("at the node proxy itself")
                .isEmpty();
        assertThat(direct(who, THEIRS, WAYPOINT, waypoint.ip(), "guarded.lab.svc.cluster.local:80"))
                .as("at the waypoint itself")
                .isEmpty();
    }

    /// So that it is for their certificates that the others are refused.
    @Test
    void givenTheSameNames_whenTheirOwnRootIssuesThem_thenTheyAreBelieved() {
        var clerk = identity("cluster.local/ns/shop/sa/clerk");
        assertThat(answer(clerk, clerk, OURS, "server")).endsWith("200 OK");
        assertThat(answer(clerk, clerk, OURS, "guarded")).endsWith("200 OK");
        for (var who : List.of(clerk, VISITOR)) {
            var issuer = who.equals(VISITOR) ? THEIRS : OURS;
            assertThat(direct(who, issuer, SERVER, server.ip(), server.ip() + ":8080"))
                    .endsWith("200 OK");
            assertThat(direct(who, issuer, WAYPOINT, waypoint.ip(), "guarded.lab.svc.cluster.local:80"))
                    .endsWith("200 OK");
        }
    }

    /// The other way round: whom the waypoint calls.
    @Test
    void givenPodThatIsNotWhatItsCertificateSays_whenTheWaypointCallsIt_thenItSaysNothingToIt() {
        service("far", 3, "{istio.io/use-waypoint: wp}");
        lab.write("pod-far", """
                apiVersion: v1
                kind: Pod
                metadata:
                  {name: far, namespace: lab, labels: {app: far}, annotations: {ambient.istio.io/redirection: enabled}}
                spec: {nodeName: elsewhere, serviceAccountName: far, containers: [{name: main, image: none}]}
                status: {phase: Running, podIP: %s, conditions: [{type: Ready, status: "True"}]}
                """.formatted(lab.host()));
        var client = identity("cluster.local/ns/lab/sa/client");
        var target = "far.lab.svc.cluster.local:80";
        try (var _ = new EchoPod("far", lab.host(), identity("other.example/ns/lab/sa/far"), THEIRS, loops)) {
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> direct(client, OURS, WAYPOINT, waypoint.ip(), target)
                            .endsWith("200 OK"));
        }
        try (var pod = new EchoPod("far", lab.host(), identity("cluster.local/ns/lab/sa/far"), THEIRS, loops)) {
            assertThat(direct(client, OURS, WAYPOINT, waypoint.ip(), target)).startsWith("HTTP/1.1 503");
            assertThat(pod.tunnels()).isEmpty();
            Awaitility.await().atMost(PATIENCE).until(() -> waypoint.log().contains("CERTIFICATE_VERIFY_FAILED"));
        }
    }

    private static String direct(Identity who, LabAuthority issuer, Identity whom, String ip, String target) {
        return caller(who, issuer, whom, ip).attempt(target).firstLine(REQUEST);
    }

    /// The port of the control plane: certificates and configuration.
    @ParameterizedTest(name = "{0} by {1}")
    @CsvSource({
        "cluster.local/ns/istio-system/sa/istiod,  THEIRS, UNAVAILABLE, UNAVAILABLE, UNAVAILABLE",
        "cluster.local/ns/istio-system/sa/ztunnel, THEIRS, UNAVAILABLE, UNAVAILABLE, UNAVAILABLE",
        "third.example/ns/istio-system/sa/istiod,  THEIRS, UNAVAILABLE, UNAVAILABLE, UNAVAILABLE",
        "other.example/ns/istio-system/sa/istiod,  OURS,   UNAVAILABLE, UNAVAILABLE, UNAVAILABLE",
        "other.example/ns/istio-system/sa/ztunnel, THEIRS, UNAUTHENTICATED, UNAUTHENTICATED, UNAUTHENTICATED",
        "other.example/ns/istio-system/sa/istiod,  THEIRS, UNAUTHENTICATED, PERMISSION_DENIED, OK",
        "cluster.local/ns/istio-system/sa/ztunnel, OURS,   OK, OK, OK"
    })
    void givenCertificate_whenTheControlPlaneIsAsked_thenItGivesWhatThatNameMayHave(
            String who, String issuer, Status.Code certificate, Status.Code configuration, Status.Code shared)
            throws Exception {
        var identity = identity(who);
        try (var client = new ControlPlaneCaller(
                (issuer.equals("OURS") ? OURS : THEIRS).of(identity), lab.host(), lab.tlsPort())) {
            assertThat(client.order(identity)).isEqualTo(certificate);
            assertThat(client.ask(identity, ResourceType.ADDRESS.url())).isEqualTo(configuration);
            assertThat(client.ask(identity, XdsType.PEER_CLUSTER.url())).isEqualTo(shared);
        }
    }

    /// Nor do we speak for them.
    @Test
    void givenNameOfTheirDomain_whenOurRootIssuesIt_thenItIsRefused() {
        var ours = identity("cluster.local/ns/lab/sa/client");
        assertThat(answer(VISITOR, VISITOR, OURS, "server")).isEmpty();
        assertThat(answer(ours, VISITOR, OURS, "server")).isEmpty();
        assertThat(answer(ours, VISITOR, OURS, "guarded")).isEmpty();
    }
}
