// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.folder;

import io.fathom.base.lang.ProblemException;
import io.fathom.control.deploy.DeploySettings;
import io.fathom.control.deploy.GatewayDraft;
import io.fathom.tools.local.dns.ClusterNames;
import io.fathom.tools.local.folder.Deployment.DeploymentKind;
import io.fathom.tools.local.folder.Deployment.Fact;
import io.fathom.tools.local.folder.Deployment.PodFile;
import io.fathom.tools.local.folder.Deployment.Restart;
import io.fathom.tools.local.folder.Deployment.Template;
import io.fathom.tools.local.folder.Deployment.Value;
import io.fathom.tools.local.folder.Deployment.Variable;
import io.fathom.wire.kube.folder.ObjectName;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Tree;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/// Turns a Gateway into pods that can be played here: the Deployment and Service that a cluster would get, with the
/// companion of this checkout in the place of the image. Pure.
///
/// @param companion the program
/// @param machine what the companion needs of this machine: Java, Envoy
/// @param controlPort of the control plane, whose name is the usual one
/// @param cluster that it is part of
/// @param network of that; empty where there is only one
public record GatewayReader(
        String companion, Map<String, String> machine, int controlPort, String cluster, String network) {
    private static final String TRUST_DOMAIN = "cluster.local";
    private static final String CONTROL_PLANE = "istiod.istio-system.svc";
    private static final Map<String, Fact> FACTS = Map.of(
            "metadata.name", Fact.NAME,
            "metadata.namespace", Fact.NAMESPACE,
            "status.podIP", Fact.IP,
            "status.podIPs", Fact.IP,
            "spec.nodeName", Fact.NODE);

    public GatewayReader {
        machine = Map.copyOf(machine);
    }

    /// A Gateway that is played here.
    ///
    /// @param json as it was written
    public record Played(
            String json,
            GatewayDraft.GatewayReach reach,
            Deployment deployment,
            ObjectName service,
            Declared.Service as) {}

    /// Empty when nothing is to run for it.
    ///
    /// @param overlays the data of ConfigMaps of its namespace by name
    /// @throws ProblemException when it asks for what cannot be had
    Optional<Played> read(Tree gateway, Function<String, Optional<Map<String, String>>> overlays) {
        return GatewayDraft.of(gateway, TRUST_DOMAIN, settings(), overlays).map(draft -> played(gateway, draft));
    }

    private DeploySettings settings() {
        return new DeploySettings(
                "default",
                "istio-system",
                ClusterNames.DOMAIN,
                cluster,
                network,
                "proxy",
                "",
                "warning",
                Set.of(DeploySettings.Option.ALWAYS_COMPANIONS));
    }

    private Played played(Tree gateway, GatewayDraft draft) {
        var deployment = Field.root(draft.deployment());
        var metadata = deployment.at("metadata");
        var namespace = metadata.at("namespace").text();
        var template = deployment.at("spec").at("template");
        var container = template.at("spec").at("containers").items().getFirst();
        var command = new ArrayList<>(List.of(companion));
        container.at("args").texts().forEach(word -> command.add(word.replace("$(POD_NAMESPACE)", namespace)));
        var json = Json.compact(template.tree());
        var made = new Deployment(
                DeploymentKind.DEPLOYMENT,
                namespace,
                metadata.at("name").text(),
                deployment
                        .at("spec")
                        .at("replicas")
                        .integer(0, DeploymentReader.MOST_REPLICAS)
                        .orElse(1),
                new Template(
                        json,
                        "%08x".formatted(json.hashCode()),
                        template.at("metadata").at("labels").textMap(),
                        draft.account(),
                        command,
                        environment(container, draft.account()),
                        Map.of(),
                        Restart.ALWAYS,
                        DeploymentReader.probe(container.at("readinessProbe"), Map.of()),
                        Optional.empty()));
        var service = Field.root(draft.service());
        return new Played(
                Json.compact(gateway),
                draft.reach(),
                made,
                new ObjectName(
                        "Service", namespace, service.at("metadata").at("name").text()),
                FolderPartReader.service(service, draft.service()));
    }

    private List<Variable> environment(Field container, String account) {
        var variables = new HashMap<String, Value>();
        for (var variable : container.at("env").items()) {
            var name = variable.at("name").text();
            var source = variable.at("valueFrom");
            var path = source.at("fieldRef").at("fieldPath").text();
            if (!source.isPresent()) {
                variables.put(name, new Value.Text(variable.at("value").text()));
            } else if (path.equals("spec.serviceAccountName")) {
                variables.put(name, new Value.Text(account));
            } else if (FACTS.containsKey(path)) {
                variables.put(name, new Value.OfPod(FACTS.getOrDefault(path, Fact.NAME)));
            }
        }
        machine.forEach((name, value) -> variables.put(name, new Value.Text(value)));
        var control = CONTROL_PLANE + ":" + controlPort;
        variables.put("CA_ADDR", new Value.Text(control));
        variables.put("PROXY_CONFIG", new Value.Text("{\"discoveryAddress\":\"" + control + "\",\"concurrency\":1}"));
        variables.put("TERMINATION_DRAIN_DURATION_SECONDS", new Value.Text("2")); // pods have 5 s to end here
        variables.put("XDS_ROOT_CA", new Value.OfRun(PodFile.ROOT_CERTIFICATE));
        variables.put("CA_ROOT_CA", new Value.OfRun(PodFile.ROOT_CERTIFICATE));
        variables.put("AUTH_TOKEN", new Value.OfRun(PodFile.TOKEN));
        variables.put("FATHOM_SECRETS_SOCKET", new Value.OfRun(PodFile.SECRETS));
        variables.put("FATHOM_PROXY_DIR", new Value.OfRun(PodFile.POD_FOLDER));
        variables.put("FATHOM_POD_INFO", new Value.OfRun(PodFile.POD_FOLDER));
        return variables.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(entry -> new Variable(entry.getKey(), entry.getValue()))
                .toList();
    }
}
