// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local;

import io.fathom.tools.local.net.Slot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/// The programs of the mesh: the control plane on the machine, an agent and a proxy on each node. Any thread.
final class Programs {
    private static final List<Integer> USUAL_PORTS = List.of(15010, 15012, 15014);

    /// Where the control plane listens.
    record ProgramPorts(int plaintext, int tls, int http) {}

    private final EngineConfig config;
    private final Slot slot;
    private final ProgramPorts ports;
    private final List<Supervised> running = new CopyOnWriteArrayList<>();

    Programs(EngineConfig config, Slot slot) throws IOException {
        this.config = config;
        this.slot = slot;
        this.ports = free();
    }

    ProgramPorts ports() {
        return ports;
    }

    List<Supervised> running() {
        return List.copyOf(running);
    }

    /// A line on each program that does not go on running.
    List<String> unsteady() {
        return running.stream()
                .filter(program -> program.restarts() > 1)
                .map(program -> "%s ended %d times and last printed: %s"
                        .formatted(program.name(), program.restarts(), program.lastLine()))
                .toList();
    }

    void startControlPlane() {
        var run = config.run();
        var command = new ArrayList<>(List.of(
                "" + config.bin().resolve("fathomd"),
                "--manifests="
                        + config.folders().stream().map(Path::toString).collect(Collectors.joining(",")) + ","
                        + run.objects(),
                "--listen-address=127.0.0.1," + slot.machine(),
                "--plaintext-port=" + ports.plaintext(),
                "--tls-port=" + ports.tls(),
                "--http-port=" + ports.http(),
                "--state-dir=" + run.state(),
                "--root-cert-file=" + run.rootCertificate(),
                "--tokens-dir=" + run.tokens()));
        var environment = new HashMap<>(
                Map.of("CA_TRUSTED_NODE_ACCOUNTS", "istio-system/ztunnel", "FATHOM_LATER_ADDRESSES", "true"));
        config.role()
                .ifPresentOrElse(
                        role -> {
                            command.addAll(List.of(
                                    "--ca=cacerts", "--cluster-id=" + role.id(), "--network=" + role.network()));
                            role.read()
                                    .forEach((cluster, objects) ->
                                            command.add("--remote-manifests=" + cluster + "=" + objects));
                            environment.put("ROOT_CA_DIR", role.authority().toString());
                            environment.put("AMBIENT_ENABLE_MULTI_NETWORK_INGRESS", "true");
                        },
                        () -> command.add("--ca-file=" + run.authority()));
        start("fathomd", command, environment);
    }

    void startAgent(String node) throws IOException {
        var run = config.run();
        Files.createSymbolicLink(Files.createDirectories(run.node(node)).resolve("netns"), run.namespace(node));
        Files.writeString(run.node(node).resolve("resolv.conf"), "nameserver " + slot.machine() + "\n");
        start(
                "fathom-cni-" + node,
                List.of(
                        "nsenter",
                        "--net=" + run.namespace(node),
                        "--",
                        "" + config.bin().resolve("fathom-cni")),
                Map.of(
                        "NODE_NAME", node,
                        "CNI_AGENT_RUN_DIR", run.node(node).toString(),
                        "ZTUNNEL_UDS_ADDRESS", run.proxySocket(node).toString(),
                        "FATHOM_MANIFESTS", run.objects().toString(),
                        "FATHOM_NETNS_DIR", run.podNamespaces().toString(),
                        "AMBIENT_IPV6", "false"));
    }

    /// Once the control plane has written its root certificate and the token of the proxy.
    void startProxy(String node, String ip) {
        var run = config.run();
        var address = "https://" + slot.machine() + ":" + ports.tls();
        var environment = new HashMap<String, String>();
        environment.put("XDS_ADDRESS", address);
        environment.put("CA_ADDRESS", address);
        environment.put("XDS_ROOT_CA", run.rootCertificate().toString());
        environment.put("CA_ROOT_CA", run.rootCertificate().toString());
        environment.put("ALT_XDS_HOSTNAME", "istiod.istio-system.svc");
        environment.put("ALT_CA_HOSTNAME", "istiod.istio-system.svc");
        environment.put("AUTH_TOKEN", run.token(node).toString());
        environment.put("NODE_NAME", node);
        environment.put("POD_NAME", "ztunnel-" + node);
        environment.put("POD_NAMESPACE", "istio-system");
        environment.put("SERVICE_ACCOUNT", "ztunnel");
        environment.put("INSTANCE_IP", ip);
        environment.put("INPOD_UDS", run.proxySocket(node).toString());
        environment.put("IPV6_ENABLED", "false");
        config.role().ifPresent(role -> {
            environment.put("CLUSTER_ID", role.id());
            environment.put("NETWORK", role.network());
        });
        start("ztunnel-" + node, onNode(node, "ztunnel"), environment);
    }

    /// The agent of a cluster, which joins the fleet with a token and writes what the control plane reads.
    void startFleetAgent(String server, String token) {
        var run = config.run();
        var role = config.role().orElseThrow();
        start(
                "fathom-agent",
                List.of(
                        "" + config.bin().resolve("fathom-agent"),
                        "--server=" + server,
                        "--cluster-id=" + role.id(),
                        "--network=" + role.network(),
                        "--state-dir=" + run.agent(),
                        "--manifests=" + run.objects(),
                        "--output=" + run.applied().resolve("fleet"),
                        "--control-plane=http://127.0.0.1:" + ports.plaintext(),
                        "--listen-address=127.0.0.1",
                        "--http-port=0"),
                Map.of("FATHOM_AGENT_TOKEN", token));
    }

    /// With a resolver of its own. It would not see the namespaces of pods that are made later: the agent has to.
    private List<String> onNode(String node, String program) {
        return List.of(
                config.bin().resolve("lib/in-pod").toString(),
                config.run().node(node).toString(),
                config.bin().resolve(program).toString());
    }

    private void start(String name, List<String> command, Map<String, String> environment) {
        running.add(start(config, name, command, environment));
    }

    /// Starts one of our programs.
    static Supervised start(EngineConfig config, String name, List<String> command, Map<String, String> environment) {
        var all = new HashMap<>(environment);
        all.put("FATHOM_BUILD", "skip");
        all.put("FATHOM_JAVA", config.java().toString());
        return Supervised.start(name, command, all, config.run().log(name));
    }

    /// Each of several clusters has its own usual ports, as they start at the same time.
    private ProgramPorts free() throws IOException {
        var free = new FreePorts(List.of("127.0.0.1", slot.machine()));
        var shift = config.role().map(role -> 100 * (role.number() - 1)).orElse(0);
        var ports = new ArrayList<Integer>();
        for (var usual : USUAL_PORTS) {
            ports.add(free.next(usual + shift));
        }
        return new ProgramPorts(ports.get(0), ports.get(1), ports.get(2));
    }
}
