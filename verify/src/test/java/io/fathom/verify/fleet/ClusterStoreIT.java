// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fathom.base.lang.ProblemException;
import io.fathom.base.lang.SystemTimeline;
import io.fathom.base.testkit.TestCommand;
import io.fathom.base.work.Parts;
import io.fathom.fleet.join.ClusterIdentity;
import io.fathom.fleet.join.JoinToken;
import io.fathom.fleet.server.ClusterStore;
import io.fathom.fleet.server.FleetPolicy;
import io.fathom.fleet.server.FleetStatus.ClusterStatus;
import io.fathom.fleet.server.ManagementServer;
import io.fathom.fleet.server.Registration;
import io.fathom.fleet.server.Registration.Bounds;
import io.fathom.fleet.server.ServicePolicy;
import io.fathom.verify.peers.KubeApiServer;
import io.fathom.verify.peers.ManifestApplier;
import io.fathom.verify.peers.StockProgram;
import io.fathom.wire.fleet.FleetClient;
import io.fathom.wire.fleet.FleetMembership;
import io.fathom.wire.fleet.JoinOrder;
import io.fathom.wire.fleet.ServerAddress;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeConfig;
import io.fathom.wire.kube.api.KubeSettings;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.RequestWriter;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/// Two management servers that keep everything in one real API server.
@Tag("slow")
@Tag("interop")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init")
class ClusterStoreIT {
    private static final String NAMESPACE = "fathom-fleet";
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Bounds ANY = new Bounds(List.of(), List.of());
    private static final FleetPolicy POLICY =
            new FleetPolicy("fleet.local", Set.of("istio-eastwest"), Duration.ofDays(7), ServicePolicy.OPEN);

    private final Parts parts = new Parts();
    private KubeApiServer kube;
    private ManifestApplier kubectl;
    private FleetClient client;
    private ManagementServer first;
    private ManagementServer second;

    @BeforeAll
    void start() {
        kube = parts.keep(KubeApiServer.start(InstantSource.system()));
        kubectl = new ManifestApplier(kube);
        kubectl.run("", "create", "namespace", NAMESPACE);
        assertThatThrownBy(this::server).hasMessageContaining("FleetCluster").hasMessageContaining("crds");
        kubectl.run("", "apply", "-f", "../deploy/charts/fathom-fleet/crds");
        kubectl.run("", "wait", "--for=condition=Established", "crd", "-l", "app.kubernetes.io/part-of=fathom");
        var loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        parts.keep(() -> loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync());
        client = new FleetClient(loops.next(), InstantSource.system());
        first = parts.keep(server());
        second = parts.keep(server());
    }

    @AfterAll
    void stop() {
        parts.close();
    }

    private ManagementServer server() {
        return server(NAMESPACE);
    }

    private ManagementServer server(String namespace) {
        var api = new KubeClient(KubeConfig.fromFile(kube.kubeconfig()), KubeSettings.DEFAULT);
        return ManagementServer.start(
                ClusterStore.open(api, namespace),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                POLICY,
                parts.keep(new SystemTimeline()),
                new SecureRandom());
    }

    private static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(50));
    }

    private FleetMembership join(ManagementServer server, JoinToken token, String cluster, String uid) {
        var keys = KeyAlgorithm.P256.generate();
        var csr = RequestWriter.write(keys, List.of(new ClusterIdentity("fleet", uid).uri()));
        return client.join(
                new ServerAddress("127.0.0.1", server.port()),
                token.server(),
                new JoinOrder(token.text(), cluster, uid, csr, List.of("cluster.local"), List.of("net-" + uid)));
    }

    private static Optional<Registration> member(ManagementServer server, String cluster) {
        return server.status().clusters().stream()
                .map(ClusterStatus::registration)
                .filter(registration ->
                        registration.isMember() && registration.name().equals(cluster))
                .findFirst();
    }

    private static <T> long successes(List<Callable<T>> attempts) throws InterruptedException {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            return threads.invokeAll(attempts).stream()
                    .filter(ClusterStoreIT::isFine)
                    .count();
        }
    }

    private static boolean isFine(Future<?> attempt) {
        try {
            attempt.get();
            return true;
        } catch (ExecutionException e) {
            assertThat(e.getCause()).isInstanceOf(ProblemException.class);
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private ManagementServer either(int i) {
        return i % 2 == 0 ? first : second;
    }

    @Test
    void givenOneTokenAtBothServers_thenItWorksForOneKey() throws InterruptedException {
        var token = first.issue("race", ANY, HOUR);

        List<Callable<FleetMembership>> attempts = IntStream.range(0, 12)
                .<Callable<FleetMembership>>mapToObj(i -> () -> join(either(i), token, "race", "uid-race-" + i))
                .toList();

        assertThat(successes(attempts)).isEqualTo(1);
        await().untilAsserted(
                        () -> assertThat(member(first, "race")).isPresent().isEqualTo(member(second, "race")));
    }

    @Test
    void givenSeveralTokensForOneName_thenOneClusterGetsIt() throws InterruptedException {
        List<Callable<FleetMembership>> attempts = IntStream.range(0, 8)
                .<Callable<FleetMembership>>mapToObj(i -> {
                    var token = either(i).issue("name", ANY, HOUR);
                    return () -> join(either(i + 1), token, "name", "uid-name-" + i);
                })
                .toList();

        assertThat(successes(attempts)).isEqualTo(1);
    }

    @Test
    void whenManyJoinAtOnce_thenEachHasANumberOfItsOwn_andBothServersKnowAll() throws InterruptedException {
        List<Callable<FleetMembership>> attempts = IntStream.range(0, 10)
                .<Callable<FleetMembership>>mapToObj(i -> {
                    var token = either(i).issue("many-" + i, ANY, HOUR);
                    return () -> join(either(i), token, "many-" + i, "uid-many-" + i);
                })
                .toList();

        assertThat(successes(attempts)).isEqualTo(10);
        for (var server : List.of(first, second)) {
            await().untilAsserted(() -> assertThat(IntStream.range(0, 10).mapToObj(i -> member(server, "many-" + i)))
                    .allSatisfy(member -> assertThat(member).isPresent()));
            assertThat(server.status().clusters())
                    .extracting(status -> status.registration().handle())
                    .doesNotHaveDuplicates();
        }
    }

    @Test
    void whenAClusterLeavesAtOneServer_thenTheOtherKnows_alsoOneThatStartsLater_andTheKeysAreTheSame() {
        var token = first.issue("leaver", ANY, HOUR);
        join(second, token, "leaver", "uid-leaver");
        await().until(() -> member(first, "leaver").isPresent());

        first.leave("leaver");

        await().until(() -> member(second, "leaver").isEmpty());
        try (var later = server()) {
            assertThat(member(later, "leaver")).isEmpty();
            assertThat(later.issue("more", ANY, HOUR).server()).isEqualTo(token.server());
        }
        assertThat(kubectl.run("", "get", "fleetclusters", "-n", NAMESPACE))
                .containsPattern("uid-leaver +leaver +LEFT");
        assertThat(kubectl.run("", "get", "fleettoken", "-n", NAMESPACE, token.id(), "-o", "yaml"))
                .contains(token.hash())
                .doesNotContain(token.secret());
    }

    @Test
    void givenAServerThatDiedAfterItDecided_thenTheNextOneFinishesIt() {
        join(first, first.issue("unfinished", ANY, HOUR), "unfinished", "uid-unfinished");
        kubectl.run(
                "", "delete", "fleetcluster", "-n", NAMESPACE, "uid-unfinished"); // as if it had not been written yet

        join(second, second.issue("next", ANY, HOUR), "next", "uid-next");

        assertThat(kubectl.run("", "get", "fleetclusters", "-n", NAMESPACE)).contains("uid-unfinished", "uid-next");
    }

    @Test
    void givenARecordThatSomebodySpoilt_thenOthersStillServe() {
        join(first, first.issue("spoilt", ANY, HOUR), "spoilt", "uid-spoilt");
        kubectl.run(
                "",
                "patch",
                "fleetcluster",
                "-n",
                NAMESPACE,
                "uid-spoilt",
                "--type=merge",
                "-p",
                "{\"spec\":{\"gateway\":\"no bytes\",\"incarnation\":\"x\"}}");

        try (var later = server()) {
            assertThat(join(later, later.issue("fine", ANY, HOUR), "fine", "uid-fine")
                            .handle())
                    .isPositive();
        }
        kubectl.run("", "delete", "fleetcluster", "-n", NAMESPACE, "uid-spoilt");
    }

    @Test
    void whenWhatWasBackedUpIsCreatedElsewhere_thenAServerThereIsTheSame() {
        var token = first.issue("backed-up", ANY, HOUR);
        join(first, token, "backed-up", "uid-backed-up");
        kubectl.run("", "create", "namespace", "copy");
        var command = """
                kubectl -n fathom-fleet get fleetclusters,fleettokens,secrets,configmaps \\
                  -l app.kubernetes.io/managed-by=fathom-fleet -o json |
                  jq 'del(.items[].metadata | .resourceVersion, .uid, .creationTimestamp, .namespace, .managedFields)' |
                  kubectl -n copy create -f -
                """;
        var path = StockProgram.KUBECTL.require().getParent() + ":" + System.getenv("PATH");
        TestCommand.of(
                        List.of("bash", "-o", "pipefail", "-c", command),
                        Map.of("KUBECONFIG", kube.kubeconfig().toString(), "PATH", path))
                .run()
                .expect(command);

        try (var copy = server("copy")) {
            assertThat(member(copy, "backed-up")).isPresent();
            assertThat(copy.issue("other", ANY, HOUR).server()).isEqualTo(token.server());
            assertThatThrownBy(() -> join(copy, token, "backed-up", "uid-thief"))
                    .hasMessageContaining("used");
        }
    }
}
