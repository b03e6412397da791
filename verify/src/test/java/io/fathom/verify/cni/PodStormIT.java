// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.cni;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.base.testkit.TestNamespace;
import io.fathom.node.cni.install.InstallConfig;
import io.fathom.verify.peers.KubeApiServer;
import io.fathom.verify.peers.StockProgram;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeConfig;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.api.KubeSettings;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.zds.ZdsClient;
import io.fathom.wire.zds.ZdsRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What a node does after a restart: all of its pods start at once. With the plugin and the node agent as programs, a
/// real API server, a namespace for each pod, and a node proxy that takes every pod.
@Tag("slow")
@Tag("alone")
@Timeout(300)
class PodStormIT {
    /// As many as a kubelet runs.
    private static final int PODS = 110;

    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    private static Path root;

    @AutoClose
    private static KubeApiServer kube;

    @AutoClose
    private static KubeClient client;

    @AutoClose
    private static TestNamespace node;

    @AutoClose
    private static ZdsClient proxy;

    private static final AtomicInteger captured = new AtomicInteger();
    private static Path run;
    private static InstalledPlugin plugin;

    @BeforeAll
    static void start() throws Exception {
        var bin = Files.createDirectories(root.resolve("bin"));
        InstalledPlugin.assemble(bin);
        plugin = new InstalledPlugin(bin.resolve("istio-cni"), Files.createDirectories(root.resolve("nothing")));
        kube = KubeApiServer.start(InstantSource.system());
        client = new KubeClient(KubeConfig.fromFile(kube.kubeconfig()), KubeSettings.DEFAULT);
        node = TestNamespace.create();
        run = Files.createDirectories(root.resolve("run"));
        Files.copy(kube.kubeconfig(), run.resolve(InstallConfig.KUBECONFIG_FILE));
        var labels = Map.of("istio.io/dataplane-mode", "ambient");
        client.create(
                KubeResource.NAMESPACES, "", Json.of(Map.of("metadata", Map.of("name", "mesh", "labels", labels))));
        for (var i = 0; i < PODS; i++) {
            pod("mesh", "pod-" + i);
        }
        var socket = root.resolve("ztunnel.sock");
        agent(socket);
        Awaitility.await("the agent").atMost(LONG).until(() -> Files.exists(run.resolve("pluginevent.sock")));
        proxy = ZdsClient.connect(socket);
        Thread.ofPlatform().daemon().start(PodStormIT::acceptAll);
    }

    @Test
    void whenAllPodsOfANodeStartAtOnce_thenEachIsCapturedAtTheFirstCall() throws Exception {
        var results = storm("our", plugin);
        assertThat(results)
                .allSatisfy(result -> assertThat(result.code())
                        .as(result.out() + result.err())
                        .isZero())
                .allSatisfy(result -> assertThat(result.err())
                        .as("only who asks the API server logs")
                        .isEmpty());
    }

    /// For the figure beside ours. It waits 5 s for an agent, so some of its calls fail where all processors are busy.
    @Test
    void givenUpstreamsPlugin_thenOurAgentServesIt() throws Exception {
        var stock = new InstalledPlugin(StockProgram.ISTIO_CNI.require(), root.resolve("nothing"));
        assertThat(storm("upstream's", stock))
                .anySatisfy(result -> assertThat(result.code())
                        .as(result.out() + result.err())
                        .isZero());
    }

    private static List<InstalledPlugin.Result> storm(String name, InstalledPlugin plugin) throws Exception {
        var namespaces = new ArrayList<TestNamespace>();
        try {
            for (var i = 0; i < PODS; i++) {
                namespaces.add(TestNamespace.create());
            }
            captured.set(0);
            var start = System.nanoTime();
            var results = callAll(plugin, namespaces);
            var millis = Duration.ofNanos(System.nanoTime() - start).toMillis();
            var good = results.stream().filter(result -> result.code() == 0).count();
            System.out.println("all pods at once, " + name + " plugin: " + good + " of " + PODS + " captured in "
                    + millis + " ms");
            assertThat(captured.get()).isGreaterThanOrEqualTo((int) good);
            for (var i = 0; i < PODS; i++) {
                if (results.get(i).code() == 0) {
                    assertThat(namespaces.get(i).run("iptables-save", "-t", "nat"))
                            .contains("--to-ports 15001");
                }
            }
            return results;
        } finally {
            namespaces.forEach(TestNamespace::close);
        }
    }

    private static List<InstalledPlugin.Result> callAll(InstalledPlugin plugin, List<TestNamespace> pods)
            throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var calls = new ArrayList<Callable<InstalledPlugin.Result>>();
            for (var i = 0; i < pods.size(); i++) {
                var number = i;
                calls.add(() -> plugin.call(environment(number, pods.get(number)), conf(number)));
            }
            var results = new ArrayList<InstalledPlugin.Result>();
            for (var result : threads.invokeAll(calls)) {
                results.add(result.get());
            }
            return results;
        }
    }

    private static Map<String, String> environment(int pod, TestNamespace namespace) {
        return Map.of(
                "CNI_COMMAND", "ADD",
                "CNI_CONTAINERID", "abc",
                "CNI_NETNS", namespace.path().toString(),
                "CNI_IFNAME", "eth0",
                "CNI_PATH", "/opt/cni/bin",
                "CNI_ARGS", "K8S_POD_NAMESPACE=mesh;K8S_POD_NAME=pod-" + pod);
    }

    private static String conf(int pod) {
        return """
                {"cniVersion": "1.0.0", "name": "k8s-pod-network", "type": "istio-cni", "ambient_enabled": true,
                 "cni_agent_run_dir": "%s", "exclude_namespaces": ["kube-system"], "pod_namespace": "istio-system",
                 "enablement_selectors": [{"podSelector": {"matchExpressions": [
                    {"key": "istio.io/dataplane-mode", "operator": "NotIn", "values": ["none"]}]},
                   "namespaceSelector": {"matchLabels": {"istio.io/dataplane-mode": "ambient"}}}],
                 "prevResult": {"cniVersion": "1.0.0", "interfaces": [{"name": "eth0"}],
                  "ips": [{"interface": 0, "address": "198.18.99.%d/24"}]}}""".formatted(run, pod + 1);
    }

    private static void pod(String namespace, String name) {
        var spec = Map.of("nodeName", "n1", "containers", List.of(Map.of("name", "main", "image", "none")));
        client.create(KubeResource.PODS, namespace, Json.of(Map.of("metadata", Map.of("name", name), "spec", spec)));
    }

    private static void acceptAll() {
        try {
            for (var next = proxy.next(); next.isPresent(); next = proxy.next()) {
                if (next.get() instanceof ZdsRequest.Add add) {
                    add.namespace().close();
                    captured.incrementAndGet();
                }
                proxy.accept();
            }
        } catch (RuntimeException e) {
            // the test is over
        }
    }

    private static void agent(Path socket) throws Exception {
        var host = Files.createDirectories(root.resolve("host/proc/1/ns"));
        Files.createSymbolicLink(host.resolve("net"), node.path()); // its rules go there instead of into this machine
        Files.createSymbolicLink(
                Files.createDirectories(root.resolve("host/var/run")).resolve("netns"), Path.of("/var/run/netns"));
        var command = List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                "io.fathom.app.cni.CniMain");
        var settings = Map.ofEntries(
                Map.entry("KUBECONFIG", kube.kubeconfig().toString()),
                Map.entry("NODE_NAME", "n1"),
                Map.entry("FATHOM_HOST_ROOT", root.resolve("host").toString()),
                Map.entry("CNI_AGENT_RUN_DIR", run.toString()),
                Map.entry("ZTUNNEL_UDS_ADDRESS", socket.toString()),
                Map.entry("MONITORING_PORT", "0"),
                Map.entry("FATHOM_HEALTH_PORT", "0"),
                Map.entry("FATHOM_LISTEN_ADDRESS", "127.0.0.1"));
        kube.workspace().start("agent", command, settings);
    }
}
