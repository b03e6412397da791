// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.IpPort;
import io.fathom.verify.lab.LabPod;
import io.fathom.verify.lab.MeshLab;
import io.fathom.verify.lab.ProxyProgram;
import io.fathom.verify.lab.RunningProxy;
import io.fathom.wire.hbone.ConnectHeaders;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

/// What a client of another network gets at a pod that forges the tunnel inside the tunnel: a pod with our node proxy,
/// behind a stock Envoy as the east-west gateway. One of its ports belongs to a service of all clusters, the other one
/// to a service that is local.
@Tag("slow")
@Tag("interop")
class LocalPortsIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Identity CLIENT = new Identity("cluster.local", "lab", "client");
    private static final Identity SERVER = new Identity("cluster.local", "lab", "server");
    private static final Identity GATEWAY = new Identity("cluster.local", "lab", "gate");
    private static final String SHARED = "shared.lab.svc.cluster.local:80";
    private static final String REQUEST = "GET / HTTP/1.0\r\n\r\n";

    private static final LabAuthority authority = new LabAuthority();
    private static final MultiThreadIoEventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private static MeshLab lab;
    private static LabPod server;
    private static RunningProxy proxy;
    private static Caller far;
    private static Caller near;

    @BeforeAll
    static void start(@TempDir Path folder) throws Exception {
        lab = new MeshLab(Map.of("ROOT_CA_DIR", authority.plug(folder).toString()));
        lab.write(
                "system",
                "{apiVersion: v1, kind: Namespace,"
                        + " metadata: {name: istio-system, labels: {topology.istio.io/network: east}}}");
        service("shared", 1, 8080, "{istio.io/global: \"true\"}");
        service("own", 2, 9090, "{}");
        server = lab.pod("server", "node-a");
        for (var port : List.of("8080", "9090")) {
            lab.run(server, "web-" + port, List.of("python3", "-m", "http.server", port));
        }
        var gate = lab.bystander("gate-1");
        var _ = lab.eastWest("gate", gate);
        proxy = lab.proxy("node-a", ProxyProgram.ours(), Map.of("NETWORK", "east"));
        far = caller(GATEWAY, gate.ip());
        near = caller(SERVER, server.ip());
    }

    @AfterAll
    static void stop() throws Exception {
        try (var _ = lab) {
            far.close();
            near.close();
            proxy.close();
        }
        var _ = loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    private static Caller caller(Identity whom, String ip) {
        var hop = IpPort.parse(ip + ":15008").orElseThrow();
        return new Caller(CLIENT, whom, hop, authority, loops.next());
    }

    private static void service(String name, int vip, int target, String labels) {
        lab.write("service-" + name, """
                apiVersion: v1
                kind: Service
                metadata: {name: %1$s, namespace: lab, labels: %4$s}
                spec: {clusterIP: 10.96.77.%2$d, selector: {app: server}, ports: [{name: http, port: 80, targetPort: %3$d}]}
                """.formatted(name, vip, target, labels));
    }

    private static boolean isRefused(String target) {
        var inner = new ConnectHeaders(
                target.replace("POD", server.ip()),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.of("east")); // as if it were from here
        return far.attempt(ConnectHeaders.to(SHARED), CLIENT, inner, Set.of(SERVER))
                .isRefused(REQUEST);
    }

    @ParameterizedTest(name = "asked for {0}")
    @CsvSource({SHARED, "shared.lab.mesh.internal:80", "POD:8080"})
    void givenTunnelThroughTheGateway_whenItAsksForAPortOfAllClusters_thenItIsAnswered(String target) {
        Awaitility.await().atMost(PATIENCE).until(() -> !isRefused(target));
    }

    @ParameterizedTest(name = "asked for {0}")
    @CsvSource({
        "own.lab.svc.cluster.local:80, a service that is local",
        "POD:9090,                     its port",
        "POD:22,                       a port of nobody",
        "POD:15020,                    a port of the node proxy",
        "192.0.2.1:8080,               another pod"
    })
    void givenTunnelThroughTheGateway_whenItAsksForAnythingElse_thenItIsRefused(String target, String what) {
        Awaitility.await().atMost(PATIENCE).until(() -> !isRefused(SHARED));
        Awaitility.await(what).atMost(PATIENCE).until(() -> isRefused(target));
    }

    @Test
    void givenClientOfThisNetwork_whenItAsksForALocalService_thenItIsAnswered() {
        for (var target : List.of("own.lab.svc.cluster.local:80", server.ip() + ":9090")) {
            Awaitility.await(target)
                    .atMost(PATIENCE)
                    .until(() -> !near.attempt(target).isRefused(REQUEST));
        }
    }
}
