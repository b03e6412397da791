// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.base.lang.SystemTimeline;
import io.fathom.base.work.Parts;
import io.fathom.fleet.server.ClusterStore;
import io.fathom.fleet.server.FleetPolicy;
import io.fathom.fleet.server.ManagementServer;
import io.fathom.fleet.server.Registration.Bounds;
import io.fathom.fleet.server.ServicePolicy;
import io.fathom.verify.peers.KubeApiServer;
import io.fathom.verify.peers.ManifestApplier;
import io.fathom.wire.fleet.ServerAddress;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeConfig;
import io.fathom.wire.kube.api.KubeSettings;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Three management servers with the objects of one real API server, and agents at different ones.
@Tag("slow")
@Tag("interop")
class FleetReplicasIT {
    private static final String NAMESPACE = "fathom-fleet";
    private static final FleetPolicy POLICY =
            new FleetPolicy("fleet.local", Set.of("istio-eastwest"), Duration.ofDays(7), ServicePolicy.OPEN);

    private final Parts parts = new Parts();
    private final List<ServerAddress> addresses = new CopyOnWriteArrayList<>();
    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

    @SuppressWarnings("NullAway.Init")
    private KubeApiServer kube;

    @BeforeEach
    void start() {
        kube = parts.keep(KubeApiServer.start(InstantSource.system()));
        var kubectl = new ManifestApplier(kube);
        kubectl.run("", "create", "namespace", NAMESPACE);
        kubectl.run("", "apply", "-f", "../deploy/charts/fathom-fleet/crds");
        kubectl.run("", "wait", "--for=condition=Established", "crd", "-l", "app.kubernetes.io/part-of=fathom");
    }

    @AfterEach
    void stop() {
        parts.close();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private static ConditionFactory await() {
        return Awaitility.await().atMost(FleetProcesses.PATIENCE).pollInterval(Duration.ofMillis(50));
    }

    private ManagementServer server() {
        var api = new KubeClient(KubeConfig.fromFile(kube.kubeconfig()), KubeSettings.DEFAULT);
        var server = ManagementServer.start(
                ClusterStore.open(api, NAMESPACE),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                POLICY,
                parts.keep(new SystemTimeline()),
                new SecureRandom());
        addresses.add(new ServerAddress("127.0.0.1", server.port()));
        server.follow(() -> List.copyOf(addresses));
        return server;
    }

    private RawAgent agent(ManagementServer server, String cluster) {
        var token = server.issue(cluster, new Bounds(List.of(), List.of()), Duration.ofHours(1));
        return parts.keep(new RawAgent(cluster, server.port(), token.text(), loops.next()));
    }

    @Test
    void givenAgentsAtDifferentServers_thenEachHearsOfTheOthers_alsoWhenAServerGoes() {
        var first = server();
        var second = parts.keep(server());
        var west = agent(first, "west").connect("10.77.0.1");
        var east = agent(second, "east").connect("10.77.1.1");

        // what is said while they follow each other
        west.export("cart", 1);
        await().until(() -> east.known.containsKey("shop/cart"));
        east.export("db", 2);
        await().until(() -> west.known.getOrDefault("shop/db", 0) == 2);

        // a server that starts later knows it, and so does its first agent
        var third = parts.keep(server());
        await().until(() -> third.services().size() == 2);
        var south = agent(third, "south").connect("10.77.2.1");
        await().until(() -> south.known.keySet().containsAll(Set.of("shop/cart", "shop/db")));

        // a server goes: its agent is elsewhere known already, and nobody loses anything
        first.close();
        await().until(west::isOver);
        var back = west.at(third.port()).connect("10.77.0.1");
        assertThat(back.welcomed().exports().count()).isEqualTo(1);
        back.export("late", 1);
        await().until(() -> east.known.containsKey("shop/late") && south.known.containsKey("shop/late"));
        assertThat(east.known).containsEntry("shop/cart", 1);
        assertThat(second.services()).hasSize(3);
    }
}
