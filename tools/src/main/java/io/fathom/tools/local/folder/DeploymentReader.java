// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.folder;

import io.fathom.tools.local.folder.Deployment.DeploymentKind;
import io.fathom.tools.local.folder.Deployment.Fact;
import io.fathom.tools.local.folder.Deployment.Restart;
import io.fathom.tools.local.folder.Deployment.Template;
import io.fathom.tools.local.folder.Deployment.Value;
import io.fathom.tools.local.folder.Deployment.Variable;
import io.fathom.wire.kube.tree.Choices;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.MisreadException;
import io.fathom.wire.kube.tree.Tree;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Reads Deployments, StatefulSets and Pods, as far as they can be played on one machine. Pure.
final class DeploymentReader {
    static final int MOST_REPLICAS = 100;
    private static final int DAY = 86_400;
    private static final Choices<Fact> FACTS = Choices.of(Fact.class, Fact::path);

    private static final Choices<Restart> RESTARTS = Choices.of(Restart.class, DeploymentReader::title);
    private static final Choices<Management> MANAGEMENTS = Choices.of(Management.class, Management::toString);

    /// In which order a StatefulSet starts its pods; spelled as there.
    private enum Management {
        OrderedReady,
        Parallel
    }

    private DeploymentReader() {}

    private static String title(Restart restart) {
        return switch (restart) {
            case ALWAYS -> "Always";
            case ON_FAILURE -> "OnFailure";
            case NEVER -> "Never";
        };
    }

    /// @throws MisreadException that says where and what to write instead
    static Deployment read(Tree document) {
        return read(document, DeploymentKind.DEPLOYMENT);
    }

    /// @throws MisreadException that says where and what to write instead
    static Deployment readStatefulSet(Tree document) {
        var management = Field.root(document).at("spec").at("podManagementPolicy");
        var parallel = management.isPresent() && management.oneOf(MANAGEMENTS) == Management.Parallel;
        return read(document, parallel ? DeploymentKind.PARALLEL_STATEFUL_SET : DeploymentKind.STATEFUL_SET);
    }

    private static Deployment read(Tree document, DeploymentKind kind) {
        var root = Field.root(document);
        var metadata = root.at("metadata");
        var template = root.at("spec").at("template");
        return new Deployment(
                kind,
                metadata.at("namespace").text("default"),
                metadata.at("name").requiredText(),
                root.at("spec").at("replicas").integer(0, MOST_REPLICAS).orElse(1),
                template(template, json(document)));
    }

    /// @throws MisreadException that says where and what to write instead
    static Deployment readPod(Tree document) {
        var root = Field.root(document);
        var metadata = root.at("metadata");
        return new Deployment(
                DeploymentKind.POD,
                metadata.at("namespace").text("default"),
                metadata.at("name").requiredText(),
                1,
                template(root, Json.compact(document)));
    }

    private static String json(Tree document) {
        return document instanceof Tree.Mapping(var _, var entries, var _)
                        && entries.get("spec") instanceof Tree.Mapping(var _, var spec, var _)
                        && spec.get("template") instanceof Tree.Mapping template
                ? Json.compact(template)
                : "{}";
    }

    private static Template template(Field template, String json) {
        var spec = template.at("spec");
        var containers = spec.at("containers");
        var items = containers.items();
        if (items.size() != 1) {
            throw containers.wrong(
                    "deployment-containers", "names " + items.size() + " containers", "give each pod one container");
        }
        var container = items.getFirst();
        var ports = ports(container.at("ports"));
        return new Template(
                json,
                "%08x".formatted(json.hashCode()),
                template.at("metadata").at("labels").textMap(),
                spec.at("serviceAccountName").text("default"),
                command(container),
                environment(container.at("env")),
                ports,
                spec.at("restartPolicy").isPresent() ? spec.at("restartPolicy").oneOf(RESTARTS) : Restart.ALWAYS,
                probe(container.at("readinessProbe"), ports),
                probe(container.at("livenessProbe"), ports));
    }

    private static List<String> command(Field container) {
        var command = new ArrayList<>(container.at("command").texts());
        if (command.isEmpty()) {
            throw container
                    .at("command")
                    .missing("write a command: images are not pulled, the programs of this machine are run");
        }
        command.addAll(container.at("args").texts());
        return command;
    }

    private static Map<String, Integer> ports(Field ports) {
        var numbers = new LinkedHashMap<String, Integer>();
        for (var port : ports.items()) {
            numbers.put(port.at("name").text(), port.at("containerPort").requiredInteger(1, 65535));
        }
        return numbers;
    }

    private static List<Variable> environment(Field env) {
        var variables = new ArrayList<Variable>();
        for (var variable : env.items()) {
            var name = variable.at("name").requiredText();
            var source = variable.at("valueFrom");
            variables.add(new Variable(
                    name,
                    source.isPresent()
                            ? new Value.OfPod(
                                    source.at("fieldRef").at("fieldPath").oneOf(FACTS))
                            : new Value.Text(variable.at("value").text())));
        }
        return variables;
    }

    static Optional<Probe> probe(Field probe, Map<String, Integer> ports) {
        if (!probe.isPresent()) {
            return Optional.empty();
        }
        var http = probe.at("httpGet");
        var tcp = probe.at("tcpSocket");
        if (!http.isPresent() && !tcp.isPresent()) {
            throw probe.missing("give httpGet or tcpSocket: other probes are not played here");
        }
        return Optional.of(new Probe(
                http.isPresent()
                        ? new Probe.Target.Http(http.at("path").text("/"), port(http.at("port"), ports))
                        : new Probe.Target.Tcp(port(tcp.at("port"), ports)),
                seconds(probe.at("initialDelaySeconds"), 0),
                seconds(probe.at("periodSeconds"), 10),
                seconds(probe.at("timeoutSeconds"), 1),
                probe.at("failureThreshold").integer(1, 1000).orElse(3)));
    }

    private static int port(Field port, Map<String, Integer> ports) {
        if (!port.isText()) {
            return port.requiredInteger(1, 65535);
        }
        var number = ports.get(port.text());
        if (number == null) {
            throw port.wrong("deployment-port", "is no port of the container", "name one of " + ports.keySet());
        }
        return number;
    }

    private static Duration seconds(Field field, int fallback) {
        return Duration.ofSeconds(field.integer(0, DAY).orElse(fallback));
    }
}
