// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.pod;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.tools.local.dns.ClusterNames;
import io.fathom.tools.local.folder.Deployment.PodFile;
import io.fathom.tools.local.folder.Deployment.Value;
import io.fathom.tools.local.folder.Probe;
import io.fathom.tools.local.net.LocalNetwork;
import io.fathom.tools.local.net.NodeSockets;
import io.fathom.tools.local.run.RunFolder;
import io.fathom.wire.kube.folder.ObjectFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/// What pods need of the machine they run on: wires, a place among the objects, enrolment, a process. Any thread.
///
/// @param libraries `bin/lib`
/// @param programs where the programs of the manifests are
/// @param path where to look for others
public record Kubelet(
        RunFolder run,
        LocalNetwork network,
        ObjectFiles objects,
        Enrolment enrolment,
        List<NodeSockets> nodes,
        Path libraries,
        Path programs,
        String path,
        InstantSource clock) {
    private static final int PROXY_ADMIN = 15000;
    private static final Duration FOR_PROXY = Duration.ofSeconds(1);

    public Kubelet {
        nodes = List.copyOf(nodes);
    }

    /// Everything but the process. The answer is the name of its cable.
    String prepare(PodFacts pod) {
        var cable = network.addPod(pod.node(), pod.uid(), pod.ip());
        var folder = run.pod(pod.namespace(), pod.name());
        try {
            Files.createDirectories(folder);
            Files.createSymbolicLink(folder.resolve("netns"), run.podNamespace(pod.uid()));
            Files.createSymbolicLink(folder.resolve("home"), programs);
            Files.writeString(folder.resolve("resolv.conf"), resolver(pod.namespace()));
            Files.writeString(folder.resolve("labels"), labels(pod.labels()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        objects.put(PodObject.pending(pod, network.slot().node(pod.node()), clock.instant()));
        return cable;
    }

    /// As the downward API of a cluster writes them.
    private static String labels(Map<String, String> labels) {
        return labels.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(label -> label.getKey() + "=\"" + label.getValue() + "\"\n")
                .collect(Collectors.joining());
    }

    private String resolver(String namespace) {
        var domain = "svc." + ClusterNames.DOMAIN;
        return "nameserver %s\nsearch %s.%s %s %s\noptions ndots:5\n"
                .formatted(network.slot().machine(), namespace, domain, domain, ClusterNames.DOMAIN);
    }

    /// @throws ProblemException when the pod must not be started
    void enrol(PodFacts pod) {
        if (needsToken(pod) && !Files.exists(run.token(pod.namespace(), pod.name()))) {
            throw new ProblemException(new Problem(
                    "token-pending",
                    "waits for its token",
                    "see " + run.up() + " logs fathomd",
                    Problem.Origin.MESH,
                    Problem.Retry.SENSIBLE));
        }
        if (pod.membership() == Membership.IN_MESH) {
            enrolment.enrol(pod.nodeName(), pod.namespace(), pod.name(), run.podNamespace(pod.uid()), pod.ip());
        }
    }

    private static boolean needsToken(PodFacts pod) {
        return pod.template().environment().stream()
                .anyMatch(variable -> variable.value().equals(new Value.OfRun(PodFile.TOKEN)));
    }

    /// Without any privilege, and as leader of a group, so that all of it can be ended.
    Process start(PodFacts pod) throws IOException {
        var command = new ArrayList<>(List.of(
                libraries.resolve("in-pod").toString(),
                run.pod(pod.namespace(), pod.name()).toString(),
                "setsid",
                "setpriv",
                "--no-new-privs",
                "--bounding-set=-all",
                "--inh-caps=-all",
                "--"));
        command.addAll(pod.template().command());
        var log = run.log(pod.name()).toFile();
        var builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log));
        var environment = builder.environment();
        environment.clear();
        environment.putAll(Map.of(
                "PATH",
                path,
                "HOME",
                "/tmp",
                "HOSTNAME",
                pod.name(),
                "PYTHONUNBUFFERED",
                "1",
                "PYTHONDONTWRITEBYTECODE",
                "1"));
        for (var variable : pod.template().environment()) {
            environment.put(variable.name(), value(pod, variable.value()));
        }
        return builder.start();
    }

    private String value(PodFacts pod, Value value) {
        return switch (value) {
            case Value.Text(var text) -> text;
            case Value.OfPod(var fact) ->
                switch (fact) {
                    case NAME -> pod.name();
                    case NAMESPACE -> pod.namespace();
                    case IP -> pod.ip();
                    case NODE -> pod.nodeName();
                };
            case Value.OfRun(var place) -> file(pod, place).toString();
        };
    }

    private Path file(PodFacts pod, PodFile place) {
        return switch (place) {
            case ROOT_CERTIFICATE -> run.rootCertificate();
            case TOKEN -> run.token(pod.namespace(), pod.name());
            case SECRETS -> run.pod(pod.namespace(), pod.name()).resolve("secrets");
            case POD_FOLDER -> run.pod(pod.namespace(), pod.name());
        };
    }

    /// Whether the proxies of all nodes know the address of a Service by now.
    public Predicate<String> knownToProxies() {
        var dumps = nodes.stream().map(Kubelet::dump).toList();
        return address -> dumps.stream().allMatch(dump -> dump.contains("/" + address + "\""));
    }

    private static String dump(NodeSockets node) {
        try {
            return node.get("127.0.0.1", PROXY_ADMIN, "/config_dump", FOR_PROXY);
        } catch (IOException _) {
            return ""; // it does not run
        }
    }

    boolean answers(PodFacts pod, Probe probe) {
        return nodes.get(pod.node()).answers(pod.ip(), probe);
    }

    void publish(PodFacts pod, PodState state) {
        var _ = objects.patch(pod.object(), PodObject.running(pod, state));
    }

    void announceEnd(PodFacts pod) {
        var _ = objects.patch(pod.object(), PodObject.leaving(pod, clock.instant()));
    }

    /// Takes everything of the pod away but its log.
    void remove(PodFacts pod, String cable) {
        var _ = objects.delete(pod.object());
        network.removePod(pod.node(), pod.uid(), cable);
        var folder = run.pod(pod.namespace(), pod.name());
        try {
            try (var files = Files.list(folder)) {
                for (var file : files.toList()) {
                    Files.deleteIfExists(file);
                }
            }
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
