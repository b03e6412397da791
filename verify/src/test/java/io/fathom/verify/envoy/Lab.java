// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import io.fathom.base.work.Parts;
import io.fathom.model.mesh.Identity;
import io.fathom.verify.client.RunningFathomd;
import io.fathom.verify.peers.Workspace;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Our control plane on a folder of manifests, a network namespace for a stock Envoy, and pods that are played by this
/// process. Tunnels are real on both sides.
class Lab implements AutoCloseable {
    private final Workspace workspace = new Workspace();
    private final LabLink link = new LabLink();
    private final LabAuthority authority;
    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, EpollIoHandler.newFactory());
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private final Map<String, String> settings = new HashMap<>();
    private final Path manifests;
    private final SecretServer secrets;
    private @Nullable RunningFathomd fathomd;

    /// @param proxy who the Envoy is
    /// @param more settings of the control plane
    Lab(Identity proxy, LabAuthority authority, Map<String, String> more) throws IOException {
        this.authority = authority;
        settings.putAll(more);
        manifests = Files.createDirectories(workspace.directory().resolve("manifests"));
        secrets = new SecretServer(link.host(), authority.of(proxy));
        settings.put(
                "ROOT_CA_DIR",
                authority.plug(workspace.directory().resolve("ca")).toString());
    }

    /// Writes or replaces a manifest.
    final void write(String name, String manifest) {
        try {
            Files.writeString(manifest(name), manifest);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The file of a manifest.
    final Path manifest(String name) {
        return manifests.resolve(name + ".yaml");
    }

    final void remove(String name) {
        try {
            Files.delete(manifest(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// What holds for the whole mesh, as lines of YAML.
    final void meshConfig(String lines) {
        write("mesh-config", """
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: istio, namespace: istio-system}
                data:
                  mesh: |
                %s
                """.formatted(lines.indent(4).stripTrailing()));
    }

    /// A pod of the mesh that answers.
    final EchoPod echo(String namespace, String name, String account, String labels) {
        var identity = new Identity("cluster.local", namespace, account);
        var pod = keep(new EchoPod(name, link.addPod(), identity, authority, loops));
        writePod(namespace, name, pod.ip(), account, labels, "{ambient.istio.io/redirection: enabled}", "True");
        return pod;
    }

    /// @param labels YAML, as are annotations
    /// @param ready `True` or `False`
    final void writePod(
            String namespace, String name, String ip, String account, String labels, String annotations, String ready) {
        write("pod-" + name, """
                apiVersion: v1
                kind: Pod
                metadata: {name: %2$s, namespace: %1$s, labels: %5$s, annotations: %6$s}
                spec: {nodeName: node, serviceAccountName: %4$s, containers: [{name: main, image: none}]}
                status: {phase: Running, podIP: %3$s, conditions: [{type: Ready, status: "%7$s"}]}
                """.formatted(namespace, name, ip, account, labels, annotations, ready));
    }

    /// A waypoint with its service; pods have its name as the name of their Gateway.
    ///
    /// @param metadata more lines for that of the Gateway
    final void writeWaypoint(String namespace, String name, int vip, String metadata) {
        write("waypoint-" + name, """
                apiVersion: v1
                kind: Service
                metadata: {name: %2$s, namespace: %1$s, labels: {gateway.istio.io/managed: istio.io-mesh-controller}}
                spec:
                  clusterIP: %3$s
                  selector: {gateway.networking.k8s.io/gateway-name: %2$s}
                  ports: [{name: mesh, port: 15008}]
                ---
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata:
                  name: %2$s
                  namespace: %1$s
                %4$s
                spec:
                  gatewayClassName: istio-waypoint
                  listeners: [{name: mesh, port: 15008, protocol: HBONE}]
                status:
                  addresses: [{type: Hostname, value: %2$s.%1$s.svc.cluster.local}]
                """.formatted(
                        namespace, name, vip(vip), metadata.indent(2).stripTrailing()));
    }

    /// An EnvoyFilter `broken` for a Gateway, which no Envoy takes: its script is none.
    ///
    /// @param context of its patch
    final void writeBrokenPatch(String namespace, String gateway, String context) {
        writePatches("broken", namespace, gateway, """
                - applyTo: HTTP_FILTER
                  match: {context: %s}
                  patch:
                    operation: INSERT_FIRST
                    value:
                      name: broken
                      typed_config:
                        "@type": type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua
                        default_source_code: {inline_string: "function ("}
                """.formatted(context));
    }

    /// An EnvoyFilter for a Gateway, in the file `patch`.
    ///
    /// @param patches lines of YAML
    final void writePatches(String name, String namespace, String gateway, String patches) {
        write("patch", """
                apiVersion: networking.istio.io/v1alpha3
                kind: EnvoyFilter
                metadata: {name: %s, namespace: %s}
                spec:
                  targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: %s}]
                  configPatches:
                %s
                """.formatted(name, namespace, gateway, patches.indent(2).stripTrailing()));
    }

    static String waypointLabels(String name) {
        return "{gateway.networking.k8s.io/gateway-name: " + name
                + ", gateway.istio.io/managed: istio.io-mesh-controller}";
    }

    /// With a command line of its own.
    final LabEnvoy start(String name, List<String> arguments) throws IOException {
        return LabEnvoy.start(workspace, link, name, arguments);
    }

    final LabEnvoy start(String name, LabEnvoy.Start start) throws IOException {
        return LabEnvoy.start(workspace, link, name, start);
    }

    /// One more proxy, in a namespace of its own that ours can be reached from.
    final LabEnvoy start(LabLink beside, String name, LabEnvoy.Start start) throws IOException {
        beside.join(link);
        return LabEnvoy.start(workspace, beside, name, start);
    }

    /// A virtual address.
    final String vip(int number) {
        return link.virtual(number);
    }

    /// The address of this machine as the proxy sees it.
    final String host() {
        return link.host();
    }

    /// The address of the proxy.
    final String proxy() {
        return link.proxy();
    }

    /// An address for something of the test's own.
    final String address() {
        return link.addPod();
    }

    /// Lets proxies that start from now on find a host by its name.
    final void name(String host, String ip) {
        link.name(host, ip);
    }

    /// The control plane. Started when it is asked for, with what is in the folder then: a proxy that comes later finds
    /// all of it.
    final RunningFathomd fathomd() {
        var running = fathomd;
        return running == null ? restart() : running;
    }

    /// Ends the control plane and starts another one on the same manifests.
    final RunningFathomd restart() {
        if (fathomd != null) {
            fathomd.close();
        }
        var running = RunningFathomd.on(manifests, settings);
        fathomd = running;
        return running;
    }

    final int secretsPort() {
        return secrets.port();
    }

    final LabAuthority authority() {
        return authority;
    }

    final MultiThreadIoEventLoopGroup loops() {
        return loops;
    }

    final Path folder() {
        return workspace.directory();
    }

    final <T extends AutoCloseable> T keep(T part) {
        parts.push(part);
        return part;
    }

    @Override
    public final void close() {
        try (var all = new Parts()) { // closed in reverse, also when one fails
            all.keep(link);
            all.keep(secrets);
            all.keep(workspace);
            if (fathomd != null) {
                all.keep(fathomd);
            }
            parts.reversed().forEach(all::keep);
        }
        var _ = loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
}
