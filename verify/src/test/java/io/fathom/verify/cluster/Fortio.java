// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import io.fathom.base.testkit.TestCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// Load of fortio from a pod of the mesh on a server in the mesh, one of them on each node.
final class Fortio {
    static final String NAMESPACE = "load";
    private static final String MANIFEST = """
            apiVersion: v1
            kind: Namespace
            metadata: {name: load, labels: {istio.io/dataplane-mode: ambient}}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: server, namespace: load}
            spec: {selector: {app: server}, ports: [{name: http, port: 8080}, {name: tcp-echo, port: 8078}]}
            ---
            apiVersion: apps/v1
            kind: DaemonSet
            metadata: {name: server, namespace: load}
            spec:
              selector: {matchLabels: {app: server}}
              template:
                metadata: {labels: {app: server}}
                spec:
                  terminationGracePeriodSeconds: 1
                  containers:
                  - name: server
                    image: localhost/fortio:1
                    args: [server, -redirect-port, disabled, -udp-port, disabled]
                    readinessProbe: {httpGet: {path: /debug, port: 8080}, periodSeconds: 1}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: client, namespace: load, labels: {app: client}}
            spec:
              terminationGracePeriodSeconds: 1
              containers:
              - name: client
                image: localhost/fortio:1
                args: [server, -redirect-port, disabled, -udp-port, disabled]
            """;

    /// What fortio counted.
    ///
    /// @param codes of HTTP, -1 for no answer
    /// @param slowest in seconds
    record Outcome(long good, long all, long sockets, String codes, double slowest) {
        static Outcome of(JsonNode report) {
            var codes = report.path("RetCodes");
            var all = 0L;
            for (var count : codes) {
                all += count.asLong();
            }
            return new Outcome(
                    codes.path("200").asLong(),
                    all,
                    report.path("SocketCount").asLong(),
                    codes.toString(),
                    report.at("/DurationHistogram/Max").asDouble());
        }

        long bad() {
            return all - good;
        }
    }

    private final KubeMesh mesh;

    Fortio(KubeMesh mesh) {
        this.mesh = mesh;
    }

    void deploy() {
        mesh.apply(MANIFEST);
        var _ = mesh.kubectl("-n", NAMESPACE, "rollout", "status", "daemonset/server", "--timeout=120s");
        var _ = mesh.kubectl("-n", NAMESPACE, "wait", "--for=condition=Ready", "pod/client", "--timeout=60s");
    }

    /// Begins to load the server. It goes on until somebody asks for its outcome.
    ///
    /// @param name no two that run at the same time have the same
    Load begin(String name, String... flags) {
        var line = new ArrayList<>(List.of("-n", NAMESPACE, "exec", "client", "--", "/fortio", "load"));
        line.addAll(List.of("-quiet", "-json", "-", "-allow-initial-errors", "-qps", "100", "-c", "4", "-t", "0"));
        // Its own limit is 3 s, which a JVM that starts on one of two busy cores may take from everybody.
        line.addAll(List.of("-timeout", "10s", "-labels", "load-" + name));
        line.addAll(List.of(flags));
        line.add("http://server.load:8080/echo?size=100");
        return new Load(
                name,
                mesh.kubectlCommand(line.toArray(String[]::new)).withoutErrors().begin());
    }

    /// Load that runs.
    final class Load implements AutoCloseable {
        private final String name;
        private final TestCommand.Running running;

        private Load(String name, TestCommand.Running running) {
            this.name = name;
            this.running = running;
        }

        /// Stops it and counts.
        Outcome outcome() {
            var client = mesh.get("-n", NAMESPACE, "pod", "client");
            var node = client.at("/spec/nodeName").asText();
            var number = Integer.parseInt(node.substring(node.length() - 1));
            var _ = mesh.on(number, "pkill", "-INT", "-f", "^/fortio load.*load-" + name)
                    .run()
                    .expect("fortio runs");
            return Outcome.of(KubeMesh.json(running.result().out()));
        }

        @Override
        public void close() {
            running.close();
            for (var node : Stream.of(1, 2).toList()) {
                var _ = mesh.on(node, "pkill", "-KILL", "-f", "^/fortio load.*load-" + name)
                        .run();
            }
        }
    }
}
