// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import io.fathom.base.work.Parts;
import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.IpPort;
import io.fathom.verify.client.RunningFathomd;
import io.fathom.verify.peers.Workspace;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/// The cluster on network `east`: our control plane on a folder of manifests, a stock Envoy as its east-west gateway
/// `edge/eastwest` in a network namespace, and pods and a waypoint that are played by this process.
final class EastWestLab implements AutoCloseable {
    static final Identity GATEWAY = new Identity("cluster.local", "edge", "eastwest");
    static final Identity INGRESS = new Identity("cluster.local", "edge", "gw-istio");
    static final Identity SERVER = new Identity("cluster.local", "shop", "server");
    /// Services with that label belong to all clusters.
    static final String MESH_CONFIG = """
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: istio, namespace: istio-system}
            data:
              mesh: |
                serviceScopeConfigs:
                - {servicesSelector: {matchLabels: {istio.io/global: "true"}}, scope: GLOBAL}
            """;

    private final Workspace workspace = new Workspace();
    private final LabLink link = new LabLink();
    private final LabAuthority authority;
    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, EpollIoHandler.newFactory());
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private final Path manifests;
    private final SecretServer secrets;
    private final RunningFathomd fathomd;
    private final EchoPod waypoint;

    EastWestLab(LabAuthority authority) throws IOException {
        this.authority = authority;
        manifests = Files.createDirectories(workspace.directory().resolve("manifests"));
        secrets = new SecretServer(link.host(), authority.of(GATEWAY));
        var plugged = authority.plug(workspace.directory().resolve("ca"));
        write("mesh", MESH_CONFIG);
        write("namespaces", """
                {apiVersion: v1, kind: Namespace, metadata: {name: istio-system, labels: {topology.istio.io/network: east}}}
                ---
                {apiVersion: v1, kind: Namespace, metadata: {name: edge}}
                ---
                {apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {istio.io/dataplane-mode: ambient}}}
                """);
        gateways("{}");
        pod("edge", "eastwest-1", link.proxy(), "{gateway.networking.k8s.io/gateway-name: eastwest}", "eastwest", "{}");
        waypoint = keep(new EchoPod("waypoint-1", link.addPod(), WaypointLab.WAYPOINT, authority, loops));
        pod(
                "shop",
                waypoint.name(),
                waypoint.ip(),
                "{gateway.networking.k8s.io/gateway-name: waypoint, gateway.istio.io/managed: istio.io-mesh-controller}",
                "waypoint",
                "{}");
        fathomd = RunningFathomd.on(
                manifests, Map.of("ROOT_CA_DIR", plugged.toString(), "AMBIENT_ENABLE_MULTI_NETWORK", "true"));
    }

    private void gateways(String annotations) {
        write("gateways", """
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: eastwest, namespace: edge, annotations: %3$s}
                spec:
                  gatewayClassName: istio-eastwest
                  listeners:
                  - {name: mesh, port: 15008, protocol: HBONE}
                  - {name: tls, port: 15443, protocol: TLS, tls: {mode: Passthrough}}
                  - name: through
                    port: 8443
                    protocol: TLS
                    hostname: "*.through.example"
                    tls: {mode: Passthrough}
                    allowedRoutes: {namespaces: {from: All}}
                status: {addresses: [{type: IPAddress, value: %1$s}]}
                ---
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: gw, namespace: edge}
                spec: {gatewayClassName: istio, listeners: [{name: http, port: 80, protocol: HTTP}]}
                ---
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: waypoint, namespace: shop}
                spec: {gatewayClassName: istio-waypoint, listeners: [{name: mesh, port: 15008, protocol: HBONE}]}
                status: {addresses: [{type: Hostname, value: waypoint.shop.svc.cluster.local}]}
                ---
                apiVersion: v1
                kind: Service
                metadata: {name: waypoint, namespace: shop, labels: {gateway.istio.io/managed: istio.io-mesh-controller}}
                spec:
                  clusterIP: %2$s
                  selector: {gateway.networking.k8s.io/gateway-name: waypoint}
                  ports: [{name: mesh, port: 15008}]
                """.formatted(link.proxy(), vip(250), annotations));
    }

    /// Lets control planes of peers come in through the gateway, as soon as a Gateway stands for one.
    void showControlPlane() {
        gateways("{fathom.io/control-plane: \"" + link.host() + ":" + fathomd.tlsPort() + "\"}");
    }

    /// Another control plane with the same root, which knows nothing but that folder.
    RunningFathomd other(Path folder, String cluster) {
        var plugged = workspace.directory().resolve("ca");
        return keep(RunningFathomd.on(folder, Map.of("ROOT_CA_DIR", plugged.toString(), "CLUSTER_ID", cluster)));
    }

    Path folder(String name) throws IOException {
        return Files.createDirectories(workspace.directory().resolve(name));
    }

    /// Writes or replaces a manifest.
    void write(String name, String manifest) {
        try {
            Files.writeString(manifests.resolve(name + ".yaml"), manifest);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// A service whose pods have the label `app` with its name, with a port for HTTP and one for bytes.
    void service(String name, int vip, String labels) {
        write("service-" + name, """
                apiVersion: v1
                kind: Service
                metadata: {name: %1$s, namespace: shop, labels: %3$s}
                spec:
                  clusterIP: %2$s
                  selector: {app: %1$s}
                  ports: [{name: http, port: 80, targetPort: 8080}, {name: tcp, port: 9000}]
                """.formatted(name, vip(vip), labels));
    }

    private void pod(String namespace, String name, String ip, String labels, String account, String annotations) {
        write("pod-" + name, """
                apiVersion: v1
                kind: Pod
                metadata: {name: %2$s, namespace: %1$s, labels: %4$s, annotations: %6$s}
                spec: {nodeName: node, serviceAccountName: %5$s, containers: [{name: main, image: none}]}
                status: {phase: Running, podIP: %3$s, conditions: [{type: Ready, status: "True"}]}
                """.formatted(namespace, name, ip, labels, account, annotations));
    }

    /// A pod of the mesh that answers.
    EchoPod pod(String name, String labels) {
        var pod = keep(new EchoPod(name, link.addPod(), SERVER, authority, loops));
        pod("shop", name, pod.ip(), labels, "server", "{ambient.istio.io/redirection: enabled}");
        return pod;
    }

    /// A pod outside the mesh with TLS of its own, on port 8443.
    void encrypted(String name, String labels) throws IOException {
        var ip = link.addPod();
        keep(IngressLab.encrypted(name, ip, authority));
        pod("shop", name, ip, labels, "server", "{}");
    }

    /// A pod outside the mesh that closes each connection to port 8443 once it has heard something.
    ///
    /// @return what it has heard
    Queue<String> listener(String name, String labels) throws IOException {
        var ip = link.addPod();
        var heard = new ConcurrentLinkedQueue<String>();
        var socket = keep(new ServerSocket(8443, 10, InetAddress.ofLiteral(ip)));
        Thread.ofVirtual().start(() -> {
            while (!socket.isClosed()) {
                try (var client = socket.accept()) {
                    heard.add(new String(client.getInputStream().readNBytes(400), StandardCharsets.ISO_8859_1));
                } catch (IOException e) {
                    // the next one, or the end
                }
            }
        });
        pod("shop", name, ip, labels, "server", "{}");
        return heard;
    }

    EchoPod waypoint() {
        return waypoint;
    }

    /// Where the gateway is.
    String proxy() {
        return link.proxy();
    }

    /// A virtual address.
    String vip(int number) {
        return link.virtual(number);
    }

    /// Somebody on another network.
    Caller caller(Identity identity) {
        var hop = IpPort.parse(link.proxy() + ":15008").orElseThrow();
        return keep(new Caller(identity, GATEWAY, hop, authority, loops.next()));
    }

    /// The same with a certificate of another authority.
    Caller caller(Identity identity, LabAuthority issuer) {
        return caller(identity, issuer, GATEWAY, link.proxy());
    }

    /// Somebody who calls another one than the gateway.
    Caller caller(Identity identity, LabAuthority issuer, Identity whom, String ip) {
        var hop = IpPort.parse(ip + ":15008").orElseThrow();
        return keep(new Caller(identity, whom, hop, issuer, loops.next()));
    }

    void remove(String name) {
        try {
            Files.delete(manifests.resolve(name + ".yaml"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    OutsideClient client() {
        return new OutsideClient(link.proxy(), authority.of(GATEWAY));
    }

    /// Starts the gateway; it may not be ready yet.
    LabEnvoy start() throws IOException {
        return LabEnvoy.start(
                workspace,
                link,
                "eastwest-1",
                new LabEnvoy.Start(
                        "waypoint", "edge", "eastwest", "eastwest", fathomd.plaintextPort(), secrets.port(), ""));
    }

    RunningFathomd fathomd() {
        return fathomd;
    }

    <T extends AutoCloseable> T keep(T part) {
        parts.push(part);
        return part;
    }

    @Override
    public void close() {
        try (var all = new Parts()) { // closed in reverse, also when one fails
            all.keep(link);
            all.keep(secrets);
            all.keep(workspace);
            all.keep(fathomd);
            parts.reversed().forEach(all::keep);
        }
        var _ = loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
}
