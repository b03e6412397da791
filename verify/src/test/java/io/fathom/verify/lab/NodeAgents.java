// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.lab;

import io.fathom.base.testkit.TestNamespace;
import io.fathom.verify.peers.Workspace;
import io.fathom.wire.kube.folder.ObjectFiles;
import io.fathom.wire.kube.folder.ObjectName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/// Our node agents as programs, each in the namespace of its node, with the folder of manifests instead of an API
/// server and a folder of namespaces instead of a kubelet.
final class NodeAgents {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Workspace workspace;
    private final ObjectFiles objects;
    private final Path namespaces;
    private final Map<String, RunningAgent> running = new HashMap<>();
    private int starts;

    NodeAgents(Workspace workspace) {
        this.workspace = workspace;
        this.objects = ObjectFiles.in(workspace.directory().resolve("manifests"));
        this.namespaces = workspace.directory().resolve("namespaces");
    }

    void put(LabPod pod, String object) {
        try {
            Files.createDirectories(namespaces);
            Files.createSymbolicLink(
                    namespaces.resolve(pod.uid()), pod.namespace().path());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        objects.put(object);
    }

    void remove(LabPod pod) {
        objects.delete(new ObjectName("Pod", LabPod.NAMESPACE, pod.name()));
        try {
            Files.delete(namespaces.resolve(pod.uid()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    RunningAgent on(String node, TestNamespace namespace) {
        var old = running.get(node);
        if (old != null && old.isAlive()) {
            return old;
        }
        var agent = start(node, namespace);
        running.put(node, agent);
        return agent;
    }

    private RunningAgent start(String node, TestNamespace namespace) {
        var name = "agent-" + node + "-" + ++starts;
        var run = workspace.directory().resolve("run-" + node);
        var command = List.of(
                "ip",
                "netns",
                "exec",
                namespace.name(),
                ProcessHandle.current().info().command().orElse("java"),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                "io.fathom.app.cni.CniMain",
                "--manifests",
                objects.folder().toString(),
                "--netns-dir",
                namespaces.toString(),
                "--node-name",
                node,
                "--cni-agent-run-dir",
                run.toString(),
                "--ztunnel-uds-address",
                workspace.directory().resolve(node + ".sock").toString(),
                "--ambient-dns-capture",
                "false", // node proxies of the lab answer none
                "--audit-period",
                "1s");
        var process = workspace.start(name, command, Map.of());
        var agent = new RunningAgent(process, namespace, run, () -> workspace.tail(name));
        try {
            Awaitility.await(name).atMost(PATIENCE).until(() -> !process.isAlive() || agent.isReady());
        } catch (ConditionTimeoutException e) {
            throw new IllegalStateException(name + " is not ready:\n" + workspace.tail(name), e);
        }
        if (!process.isAlive()) {
            throw new IllegalStateException(name + " ended:\n" + workspace.tail(name));
        }
        return agent;
    }
}
