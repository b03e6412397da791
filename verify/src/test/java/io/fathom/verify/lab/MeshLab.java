// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.lab;

import io.fathom.base.testkit.TestNamespace;
import io.fathom.model.mesh.Identity;
import io.fathom.node.cni.rules.CaptureSettings;
import io.fathom.node.cni.rules.CaptureSettings.DnsCapture;
import io.fathom.node.cni.rules.NodeRules;
import io.fathom.node.cni.rules.RuleConfig;
import io.fathom.node.cni.rules.RuleContext;
import io.fathom.node.cni.rules.RuleContext.Families;
import io.fathom.verify.peers.Workspace;
import io.fathom.wire.ca.CaClient;
import io.fathom.wire.ca.CertificateConnection;
import io.fathom.wire.dial.BearerToken;
import io.fathom.wire.dial.ServerConfig;
import io.fathom.wire.dial.ServerTrust;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.TlsIdentity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/// Nodes, pods and a control plane. Pods are added first, then node proxies are started, one after the other if need
/// be: a test may replace one by another.
public final class MeshLab implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final CaptureSettings CAPTURE = CaptureSettings.of(DnsCapture.LEFT_ALONE);

    private final LabNetwork network = new LabNetwork();
    private final NodeRules rules = NodeRules.choose(RuleConfig.of(RuleContext.of(Families.V4)));
    private final Workspace workspace = new Workspace();
    private final ControlPlane plane;
    private final Map<String, TestNamespace> nodes = new HashMap<>();
    private final Map<String, String> addresses = new HashMap<>();
    private final List<LabPod> pods = new ArrayList<>();
    private int bystanders;
    private int successors;
    private final Map<String, LabAgent> agents = new HashMap<>();
    /// Instead of those, if the lab has real ones.
    private final Optional<NodeAgents> nodeAgents;

    /// Under our own control plane.
    public MeshLab() {
        this(Map.of());
    }

    /// The same.
    ///
    /// @param settings of the control plane
    public MeshLab(Map<String, String> settings) {
        this(Under.OURS, Agents.LAB, settings);
    }

    /// Under our own control plane, with our node agents as programs on each node.
    public static MeshLab withAgents() {
        return new MeshLab(Under.OURS, Agents.REAL, Map.of());
    }

    /// Under upstream's control plane on a real API server; skips the test if they are not there.
    public static MeshLab underIstiod() {
        return new MeshLab(Under.ISTIOD, Agents.LAB, Map.of());
    }

    private enum Under {
        OURS,
        ISTIOD
    }

    /// Who captures pods and hands them to node proxies.
    private enum Agents {
        LAB,
        REAL
    }

    private MeshLab(Under under, Agents kind, Map<String, String> settings) {
        nodeAgents = kind == Agents.REAL ? Optional.of(new NodeAgents(workspace)) : Optional.empty();
        try {
            plane = switch (under) {
                case OURS -> new OurControlPlane(workspace.directory(), settings);
                case ISTIOD -> new StockControlPlane(network.host());
            };
        } catch (RuntimeException | Error e) {
            workspace.close();
            network.close();
            throw e;
        }
        write("namespace", """
                apiVersion: v1
                kind: Namespace
                metadata: {name: lab, labels: {istio.io/dataplane-mode: ambient}}
                """);
    }

    /// The machine itself, as pods reach it.
    public String host() {
        return network.host();
    }

    /// The port of the control plane for clients that prove who they are, at the address of the machine.
    public int tlsPort() {
        return plane.tlsPort();
    }

    /// A captured pod on that node, which is made if it is new.
    public LabPod pod(String name, String node) {
        nodes.computeIfAbsent(node, this::node);
        var ip = network.address(LabNetwork.Kind.POD, pods.size() + 2);
        var pod = new LabPod(name, ip, node, network.add(ip));
        pods.add(pod);
        nodeAgents.ifPresentOrElse(agents -> agents.put(pod, pod.runningObject()), () -> {
            rules.pods().apply(pod.namespace().path(), CAPTURE);
            write("pod-" + name, pod.manifest());
        });
        return pod;
    }

    /// A pod that is about to start: it has a network, but no status. Only for a lab with real agents.
    public LabPod startingPod(String name, String node, int number) {
        var ip = network.address(LabNetwork.Kind.SUCCESSOR, number);
        var pod = new LabPod(name, ip, node, network.add(ip));
        nodeAgents.orElseThrow().put(pod, pod.startingObject());
        return pod;
    }

    /// The pod is deleted, and its namespace with it. Only for a lab with real agents.
    public void end(LabPod pod) {
        nodeAgents.orElseThrow().remove(pod);
        network.remove(pod.namespace());
    }

    /// The node's agent, which is started if it does not run, and ready. Only for a lab with real agents.
    public RunningAgent agent(String node) {
        return nodeAgents.orElseThrow().on(node, nodes.computeIfAbsent(node, this::node));
    }

    /// A pod that is not in the mesh and on no node of it.
    public LabPod bystander(String name) {
        var ip = network.address(LabNetwork.Kind.BYSTANDER, ++bystanders);
        return new LabPod(name, ip, "", network.add(ip));
    }

    /// A Gateway, its pod, and a stock Envoy in it as its Deployment would start it; ready when this returns.
    public LabWaypoint waypoint(String name) {
        return proxyOf(name, bystander(name + "-1"), LabWaypoint.Duty.WAYPOINT);
    }

    /// The same that lets other networks in.
    ///
    /// @param pod a bystander
    public LabWaypoint eastWest(String name, LabPod pod) {
        return proxyOf(name, pod, LabWaypoint.Duty.EAST_WEST);
    }

    private LabWaypoint proxyOf(String name, LabPod pod, LabWaypoint.Duty duty) {
        return LabWaypoint.start(
                this,
                pod,
                name,
                duty,
                new LabWaypoint.Link(
                        network.host() + ":" + plane.tlsPort(), root(), own -> plane.token(LabPod.NAMESPACE, own)));
    }

    /// Writes or replaces a manifest.
    public void write(String name, String manifest) {
        plane.write(name, manifest);
    }

    public void remove(String name) {
        plane.remove(name);
    }

    /// Starts a proxy on the node and waits until it serves the pods there.
    public RunningProxy proxy(String node, ProxyProgram program, Map<String, String> settings) {
        var namespace = nodes.get(node);
        if (namespace == null) {
            throw new IllegalArgumentException("no pod was put on " + node);
        }
        return start(node, program, settings, namespace, program.name() + "-" + node);
    }

    /// Starts another proxy for the same pods, as in an upgrade.
    public RunningProxy successor(String node, ProxyProgram program, Map<String, String> settings) {
        var namespace = network.add(network.address(LabNetwork.Kind.SUCCESSOR, ++successors));
        return start(node, program, settings, namespace, program.name() + "-" + node + "-successor-" + successors);
    }

    private RunningProxy start(
            String node, ProxyProgram program, Map<String, String> settings, TestNamespace namespace, String name) {
        var socket = workspace.directory().resolve(node + ".sock");
        var agent = nodeAgents.isEmpty() ? Optional.of(labAgent(node, socket)) : Optional.<LabAgent>empty();
        nodeAgents.ifPresent(_ -> agent(node));
        var command = new ArrayList<>(List.of("ip", "netns", "exec", namespace.name()));
        command.addAll(program.command());
        var environment = environment(node, socket);
        environment.putAll(settings);
        var process = workspace.start(name, command, environment);
        var proxy = new RunningProxy(name, process, namespace, () -> workspace.tail(name));
        try {
            Awaitility.await(name).atMost(PATIENCE).until(() -> !process.isAlive() || proxy.isReady());
        } catch (ConditionTimeoutException e) {
            throw new IllegalStateException(proxy.complaint("is not ready"), e);
        }
        var refusals = agent.map(LabAgent::refusals).orElse(List.of());
        if (!process.isAlive() || !refusals.isEmpty()) {
            throw new IllegalStateException(proxy.complaint("did not take the pods " + refusals));
        }
        return proxy;
    }

    private LabAgent labAgent(String node, Path socket) {
        return agents.computeIfAbsent(
                node,
                _ -> new LabAgent(
                        socket,
                        pods.stream().filter(pod -> pod.node().equals(node)).toList()));
    }

    /// A certificate of the pod, as the node proxy there would get it.
    public TlsIdentity identity(LabPod pod) {
        var server = ServerConfig.parse(
                        "https://" + network.host() + ":" + plane.tlsPort(), new ServerTrust.InFile(root()))
                .withAlternativeName("istiod.istio-system.svc")
                .withToken(new BearerToken.InFile(token(pod.node())));
        var identity = new Identity("cluster.local", LabPod.NAMESPACE, pod.account());
        try (var authority = new CertificateConnection(server, PATIENCE)) {
            return new CaClient(authority::create, Duration.ofHours(1), CaClient.Speaks.FOR_WORKLOADS).fetch(identity);
        }
    }

    /// The same as files `NAME.pem`, `NAME-key.pem` and the roots, `NAME-root.pem`, in the folder that it returns.
    public Path certificate(LabPod pod) {
        var certificate = identity(pod);
        var folder = workspace.directory();
        try {
            Files.writeString(folder.resolve(pod.name() + ".pem"), Pem.encode(certificate.chain()));
            Files.writeString(folder.resolve(pod.name() + "-key.pem"), Pem.encode(certificate.key()));
            Files.writeString(folder.resolve(pod.name() + "-root.pem"), Pem.encode(certificate.roots()));
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Starts any program inside a pod.
    public Process run(LabPod pod, String name, List<String> command) {
        var line =
                new ArrayList<>(List.of("ip", "netns", "exec", pod.namespace().name()));
        line.addAll(command);
        return workspace.start(name, line, Map.of());
    }

    /// The end of what a program logged.
    public String log(String name) {
        return workspace.tail(name);
    }

    private TestNamespace node(String name) {
        var ip = network.address(LabNetwork.Kind.NODE, nodes.size() + 2);
        addresses.put(name, ip);
        writeProxy(name, "{}");
        return network.add(ip);
    }

    private void writeProxy(String node, String annotations) {
        write("ztunnel-" + node, """
                apiVersion: v1
                kind: Pod
                metadata: {name: ztunnel-%1$s, namespace: istio-system, annotations: %3$s}
                spec: {nodeName: %1$s, serviceAccountName: ztunnel, containers: [{name: main, image: none}]}
                status: {phase: Running, podIP: %2$s}
                """.formatted(node, addresses.get(node), annotations));
    }

    /// Makes the node's proxy a workload of the mesh itself, and tells its address.
    public String enrolProxy(String node) {
        writeProxy(node, "{ambient.istio.io/redirection: enabled}");
        return Objects.requireNonNull(addresses.get(node));
    }

    private Map<String, String> environment(String node, Path socket) {
        var root = root();
        var token = token(node);
        var address = "https://" + network.host() + ":" + plane.tlsPort();
        var environment = new HashMap<String, String>();
        environment.put("XDS_ADDRESS", address);
        environment.put("CA_ADDRESS", address);
        environment.put("XDS_ROOT_CA", root.toString());
        environment.put("CA_ROOT_CA", root.toString());
        environment.put("ALT_XDS_HOSTNAME", "istiod.istio-system.svc");
        environment.put("ALT_CA_HOSTNAME", "istiod.istio-system.svc");
        environment.put("AUTH_TOKEN", token.toString());
        environment.put("NODE_NAME", node);
        environment.put("POD_NAME", "ztunnel-" + node);
        environment.put("POD_NAMESPACE", "istio-system");
        environment.put("SERVICE_ACCOUNT", "ztunnel");
        environment.put("INPOD_UDS", socket.toString());
        environment.put("ISTIO_META_DNS_CAPTURE", "false");
        return environment;
    }

    private Path root() {
        try {
            return Files.writeString(workspace.directory().resolve("root-cert.pem"), plane.rootCertificate());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path token(String node) {
        return plane.token("ztunnel-" + node);
    }

    /// A folder that is removed with the lab.
    public Path folder(String name) {
        try {
            return Files.createDirectories(workspace.directory().resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        agents.values().forEach(LabAgent::close);
        workspace.close();
        plane.close();
        network.close();
    }
}
