// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.lab;

import io.fathom.control.deploy.DeploySettings;
import io.fathom.control.deploy.GatewayDraft;
import io.fathom.verify.peers.StockProgram;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Limits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.awaitility.Awaitility;

/// A stock Envoy as a waypoint of the lab's namespace, for services and workloads, or as its east-west gateway, with
/// the very arguments that its Deployment would have. Ends with the lab.
public final class LabWaypoint {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /// What it is for.
    enum Duty {
        WAYPOINT("istio-waypoint", "istio.io/waypoint-for: all", ""),
        EAST_WEST("istio-east-west", "", ", tls: {mode: Terminate}");

        private final String className;
        private final String labels;
        private final String listener;

        Duty(String className, String labels, String listener) {
            this.className = className;
            this.labels = labels;
            this.listener = listener;
        }
    }

    /// How it finds the control plane.
    ///
    /// @param token of a pod
    record Link(String controlPlane, Path root, Function<String, Path> token) {}

    private final MeshLab lab;
    private final String name;
    private final LabPod pod;

    private LabWaypoint(MeshLab lab, String name, LabPod pod) {
        this.lab = lab;
        this.name = name;
        this.pod = pod;
    }

    static LabWaypoint start(MeshLab lab, LabPod pod, String name, Duty duty, Link link) {
        var envoy = StockProgram.ENVOY.require().toString();
        lab.write("gateway-" + name, gateway(name, duty));
        lab.write("waypoint-" + name, """
                apiVersion: v1
                kind: Service
                metadata: {name: %1$s, namespace: lab, labels: {gateway.istio.io/managed: istio.io-mesh-controller}}
                spec:
                  clusterIP: 10.96.78.%3$d
                  selector: {gateway.networking.k8s.io/gateway-name: %1$s}
                  ports: [{name: mesh, port: 15008}]
                ---
                apiVersion: v1
                kind: Pod
                metadata:
                  name: %1$s-1
                  namespace: lab
                  labels:
                    gateway.networking.k8s.io/gateway-name: %1$s
                    gateway.istio.io/managed: istio.io-mesh-controller
                spec: {nodeName: elsewhere, serviceAccountName: %1$s, containers: [{name: main, image: none}]}
                status: {phase: Running, podIP: %2$s, conditions: [{type: Ready, status: "True"}]}
                """.formatted(name, pod.ip(), 1 + Math.floorMod(name.hashCode(), 200)));
        var command = new ArrayList<>(List.of(envoy));
        command.addAll(arguments(name, pod, duty, link));
        var process = lab.run(pod, name, command);
        Awaitility.await(name)
                .atMost(PATIENCE)
                .until(() ->
                        !process.isAlive() || pod.namespace().run("ss", "-ltn").contains(":15008"));
        if (!process.isAlive()) {
            throw new IllegalStateException("the waypoint ended:\n" + lab.log(name));
        }
        return new LabWaypoint(lab, name, pod);
    }

    /// What a user writes for a waypoint.
    public static String gateway(String name) {
        return gateway(name, Duty.WAYPOINT);
    }

    private static String gateway(String name, Duty duty) {
        return """
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata:
                  name: %1$s
                  namespace: lab
                  labels: {%3$s}
                  annotations: {fathom.io/proxy: envoy-only}
                spec:
                  gatewayClassName: %2$s
                  listeners: [{name: mesh, port: 15008, protocol: HBONE%4$s}]
                status:
                  addresses: [{type: Hostname, value: %1$s.lab.svc.cluster.local}]
                """.formatted(name, duty.className, duty.labels, duty.listener);
    }

    private static List<String> arguments(String name, LabPod pod, Duty duty, Link link) {
        var settings = new DeploySettings(
                "default", "istio-system", "cluster.local", "Kubernetes", "", "none", "", "warning", Set.of());
        var gateway = switch (Documents.ofYaml("gateway", gateway(name, duty), Limits.DEFAULT)
                .getFirst()) {
            case Document.Parsed parsed -> parsed.root();
            case Document.Broken broken -> throw new IllegalStateException(broken.cause());
        };
        var draft = GatewayDraft.of(gateway, "cluster.local", settings, _ -> Optional.empty())
                .orElseThrow();
        return Field.root(draft.deployment())
                .at("spec")
                .at("template")
                .at("spec")
                .at("containers")
                .items()
                .getFirst()
                .at("args")
                .texts()
                .stream()
                .map(argument -> argument.replace("$(POD_NAME)", pod.name())
                        .replace("$(POD_NAMESPACE)", LabPod.NAMESPACE)
                        .replace("$(SERVICE_ACCOUNT)", draft.account())
                        .replace("$(INSTANCE_IP)", pod.ip())
                        .replace("$(INSTANCE_IPS)", pod.ip())
                        .replace("$(NODE_NAME)", "elsewhere")
                        .replace("$(ISTIO_CPU_LIMIT)", "1")
                        .replace(
                                "/var/run/secrets/istio/root-cert.pem",
                                link.root().toString())
                        .replace(
                                "/var/run/secrets/tokens/istio-token",
                                link.token().apply(pod.name()).toString())
                        .replace("istiod.istio-system.svc:15012", link.controlPlane()))
                .toList();
    }

    public String name() {
        return name;
    }

    public String ip() {
        return pod.ip();
    }

    /// A page of its admin port.
    public String admin(String path) {
        return pod.namespace().run("curl", "-sS", "--max-time", "10", "http://127.0.0.1:15000" + path);
    }

    /// The end of what it logged.
    public String log() {
        return lab.log(name);
    }
}
