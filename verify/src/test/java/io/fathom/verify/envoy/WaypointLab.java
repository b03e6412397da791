package io.fathom.verify.envoy;

import io.fathom.app.Parts;
import io.fathom.control.deploy.DeploySettings;
import io.fathom.control.deploy.GatewayDraft;
import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.IpPort;
import io.fathom.verify.client.RunningFathomd;
import io.fathom.verify.peers.Workspace;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Limits;
import io.fathom.wire.pki.Pem;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/// Our control plane on a folder of manifests, a stock Envoy as the waypoint `shop/waypoint` in a network namespace,
/// and
/// pods and clients of the mesh that are played by this process. Tunnels are real on both sides.
final class WaypointLab implements AutoCloseable {
    static final String NAMESPACE = "shop";
    static final Identity WAYPOINT = new Identity("cluster.local", NAMESPACE, "waypoint");

    private final Workspace workspace = new Workspace();
    private final LabLink link = new LabLink();
    private final LabAuthority authority;
    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, EpollIoHandler.newFactory());
    private final Path manifests;
    private final SecretServer secrets;
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private final Map<String, String> settings = new HashMap<>();
    private RunningFathomd fathomd;

    WaypointLab() throws IOException {
        this(new LabAuthority(), Map.of());
    }

    /// @param more settings of the control plane
    WaypointLab(LabAuthority authority, Map<String, String> more) throws IOException {
        this.authority = authority;
        settings.putAll(more);
        manifests = Files.createDirectories(workspace.directory().resolve("manifests"));
        secrets = new SecretServer(link.host(), authority.of(WAYPOINT));
        settings.put(
                "ROOT_CA_DIR",
                authority.plug(workspace.directory().resolve("ca")).toString());
        write("base", """
                apiVersion: v1
                kind: Namespace
                metadata: {name: shop, labels: {istio.io/dataplane-mode: ambient, istio.io/use-waypoint: waypoint}}
                ---
                apiVersion: v1
                kind: Service
                metadata: {name: waypoint, namespace: shop, labels: {gateway.istio.io/managed: istio.io-mesh-controller}}
                spec:
                  clusterIP: %2$s
                  selector: {gateway.networking.k8s.io/gateway-name: waypoint}
                  ports: [{name: mesh, port: 15008}]
                ---
                apiVersion: v1
                kind: Pod
                metadata:
                  name: waypoint-1
                  namespace: shop
                  labels: {gateway.networking.k8s.io/gateway-name: waypoint, gateway.istio.io/managed: istio.io-mesh-controller}
                spec: {nodeName: node, serviceAccountName: waypoint, containers: [{name: main, image: none}]}
                status: {phase: Running, podIP: %1$s, conditions: [{type: Ready, status: "True"}]}
                """.formatted(link.proxy(), vip(250)));
        gateway("");
        fathomd = RunningFathomd.on(manifests, settings);
    }

    /// The Gateway, with more lines for its metadata.
    void gateway(String metadata) {
        write("gateway", """
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata:
                  name: waypoint
                  namespace: shop
                %s
                spec:
                  gatewayClassName: istio-waypoint
                  listeners: [{name: mesh, port: 15008, protocol: HBONE}]
                status:
                  addresses: [{type: Hostname, value: waypoint.shop.svc.cluster.local}]
                """.formatted(metadata.indent(2).stripTrailing()));
    }

    /// Writes or replaces a manifest.
    void write(String name, String manifest) {
        try {
            Files.writeString(manifests.resolve(name + ".yaml"), manifest);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void remove(String name) {
        try {
            Files.delete(manifests.resolve(name + ".yaml"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// A service whose pods have the label `app` with its name. Ports are lines of YAML, as a Service has them.
    void service(String name, int vip, String ports) {
        write("service-" + name, """
                apiVersion: v1
                kind: Service
                metadata: {name: %1$s, namespace: shop}
                spec:
                  clusterIP: %2$s
                  selector: {app: %1$s}
                  ports: %3$s
                """.formatted(name, vip(vip), ports));
    }

    /// A pod of the mesh that answers, with these labels (YAML).
    EchoPod pod(String name, String labels) {
        return podIn(NAMESPACE, name, labels);
    }

    /// The same in another namespace, which has to be there.
    EchoPod podIn(String namespace, String name, String labels) {
        var ip = link.addPod();
        var identity = new Identity("cluster.local", namespace, "server");
        var pod = keep(new EchoPod(name, ip, identity, authority, loops));
        writePod(namespace, name, ip, labels, "{ambient.istio.io/redirection: enabled}");
        return pod;
    }

    /// The address of this machine as the proxy sees it.
    String host() {
        return link.host();
    }

    /// An address for something of the test's own.
    String address() {
        return link.addPod();
    }

    void writePod(String name, String ip, String labels, String annotations) {
        writePod(NAMESPACE, name, ip, labels, annotations);
    }

    private void writePod(String namespace, String name, String ip, String labels, String annotations) {
        write("pod-" + name, """
                apiVersion: v1
                kind: Pod
                metadata: {name: %1$s, namespace: %5$s, labels: %3$s, annotations: %4$s}
                spec: {nodeName: node, serviceAccountName: server, containers: [{name: main, image: none}]}
                status: {phase: Running, podIP: %2$s, conditions: [{type: Ready, status: "True"}]}
                """.formatted(name, ip, labels, annotations, namespace));
    }

    /// A virtual address.
    String vip(int number) {
        return link.virtual(number);
    }

    /// A client of the mesh with that service account.
    Caller caller(String account) {
        return caller(new Identity("cluster.local", NAMESPACE, account));
    }

    Caller caller(Identity identity) {
        var hop = IpPort.parse(link.proxy() + ":15008").orElseThrow();
        return keep(new Caller(identity, WAYPOINT, hop, authority, loops.next()));
    }

    /// A client that is no member of the mesh, and knows nothing but its authority.
    OutsideClient outsider() {
        return new OutsideClient(link.proxy(), authority.of(WAYPOINT));
    }

    /// Starts the waypoint; it may not be ready yet.
    LabEnvoy start() throws IOException {
        return start(new LabEnvoy.Start(
                "waypoint", NAMESPACE, "waypoint", "waypoint", fathomd.plaintextPort(), secrets.port(), ""));
    }

    /// Starts what would be deployed for the Gateway, which has to ask for Envoy alone: the very arguments of the pod,
    /// with
    /// files and addresses of this machine in the place of the pod's.
    ///
    /// @param token the file with it
    LabEnvoy startAlone(Path token) throws IOException {
        var settings = new DeploySettings(
                "default", "istio-system", "cluster.local", "Kubernetes", "", "none", "", "warning", Set.of());
        var gateway =
                switch (Documents.ofYaml("gateway", Files.readString(manifests.resolve("gateway.yaml")), Limits.DEFAULT)
                        .getFirst()) {
                    case Document.Parsed parsed -> parsed.root();
                    case Document.Broken broken -> throw new IllegalStateException(broken.cause());
                };
        var draft = GatewayDraft.of(gateway, "cluster.local", settings).orElseThrow();
        var container = Field.root(draft.deployment())
                .at("spec")
                .at("template")
                .at("spec")
                .at("containers")
                .items()
                .getFirst();
        var root = Files.writeString(
                workspace.directory().resolve("root.pem"),
                Pem.encode(authority.of(WAYPOINT).roots()));
        var arguments = container.at("args").texts().stream()
                .map(argument -> argument.replace("$(POD_NAME)", "waypoint-1")
                        .replace("$(POD_NAMESPACE)", NAMESPACE)
                        .replace("$(SERVICE_ACCOUNT)", draft.account())
                        .replace("$(INSTANCE_IP)", link.proxy())
                        .replace("$(INSTANCE_IPS)", link.proxy())
                        .replace("$(NODE_NAME)", "node")
                        .replace("$(ISTIO_CPU_LIMIT)", "1")
                        .replace("address: 127.0.0.1,", "address: " + link.proxy() + ",") // so that we see its pages
                        .replace("/var/run/secrets/istio/root-cert.pem", root.toString())
                        .replace("/var/run/secrets/tokens/istio-token", token.toString())
                        .replace("istiod.istio-system.svc:15012", link.host() + ":" + fathomd.tlsPort()))
                .toList();
        return LabEnvoy.start(workspace, link, "waypoint-1", arguments);
    }

    /// Where the proxy is.
    String proxy() {
        return link.proxy();
    }

    /// The same over mutual TLS, as with the process beside it.
    LabEnvoy startSecurely() throws IOException {
        var certificate = authority.of(WAYPOINT);
        var folder = workspace.directory();
        Files.writeString(folder.resolve("xds.pem"), Pem.encode(certificate.chain()));
        Files.writeString(folder.resolve("xds-key.pem"), Pem.encode(certificate.key()));
        Files.writeString(folder.resolve("xds-root.pem"), Pem.encode(certificate.roots()));
        return start(new LabEnvoy.Start(
                "waypoint", NAMESPACE, "waypoint", "waypoint", fathomd.tlsPort(), secrets.port(), """
                transport_socket:
                  name: tls
                  typed_config:
                    "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext
                    sni: istiod.istio-system.svc
                    common_tls_context:
                      alpn_protocols: [h2]
                      tls_certificates:
                      - {certificate_chain: {filename: %1$s/xds.pem}, private_key: {filename: %1$s/xds-key.pem}}
                      validation_context:
                        trusted_ca: {filename: %1$s/xds-root.pem}
                        match_typed_subject_alt_names:
                        - {san_type: DNS, matcher: {exact: istiod.istio-system.svc}}
                """.formatted(
                                folder)));
    }

    LabEnvoy start(LabEnvoy.Start start) throws IOException {
        return LabEnvoy.start(workspace, link, "waypoint-1", start);
    }

    RunningFathomd fathomd() {
        return fathomd;
    }

    /// Ends the control plane and starts another one on the same manifests.
    RunningFathomd restart() {
        fathomd.close();
        fathomd = RunningFathomd.on(manifests, settings);
        return fathomd;
    }

    int secretsPort() {
        return secrets.port();
    }

    LabAuthority authority() {
        return authority;
    }

    Path folder() {
        return workspace.directory();
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
