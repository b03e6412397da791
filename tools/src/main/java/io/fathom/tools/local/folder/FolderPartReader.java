// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.folder;

import io.fathom.tools.local.folder.FolderPart.PartCondition;
import io.fathom.tools.local.folder.LocalServicePort.Protocol;
import io.fathom.wire.kube.folder.ObjectName;
import io.fathom.wire.kube.manifest.ManifestProblem;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.MisreadException;
import io.fathom.wire.kube.tree.Tree;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;

/// Reads the documents of one file. A document that cannot be read costs no other. For one file; one thread only.
final class FolderPartReader {
    private static final Set<String> PLAYED_ONLY_HERE = Set.of("Deployment", "StatefulSet", "Pod");

    private final String file;
    private final Map<String, Deployment> deployments = new HashMap<>();
    private final Map<ObjectName, Declared.Service> services = new HashMap<>();
    private final Map<ObjectName, Declared.Namespace> namespaces = new HashMap<>();
    private final Map<ObjectName, Tree> gateways = new HashMap<>();
    private final Map<ObjectName, Map<String, String>> overlays = new HashMap<>();
    private final List<ManifestProblem> problems = new ArrayList<>();
    private final OptionalInt cluster;
    private PartCondition condition = PartCondition.COMPLETE;

    private FolderPartReader(String file, OptionalInt cluster) {
        this.file = file;
        this.cluster = cluster;
    }

    /// @param cluster which one of several it is read for
    static FolderPart read(String file, List<Document> documents, OptionalInt cluster) {
        var reader = new FolderPartReader(file, cluster);
        documents.forEach(reader::read);
        return new FolderPart(
                reader.deployments,
                reader.services,
                reader.namespaces,
                reader.gateways,
                reader.overlays,
                reader.problems,
                reader.condition);
    }

    private void read(Document document) {
        switch (document) {
            case Document.Broken _ -> condition = PartCondition.DAMAGED; // the control plane tells it
            case Document.Parsed(var root) -> {
                var object = Field.root(root);
                var kind = kind(object);
                try {
                    if (PLAYED_ONLY_HERE.contains(kind) && !ClusterChoice.includes(object, cluster)) {
                        return;
                    }
                    read(kind, object, root);
                    problems.addAll(Unplayable.of(file, kind, object));
                } catch (MisreadException e) {
                    condition = PartCondition.DAMAGED;
                    if (PLAYED_ONLY_HERE.contains(kind)) { // others the control plane tells
                        problems.add(ManifestProblem.of(e, Unplayable.title(kind, object)));
                    }
                } catch (IllegalArgumentException _) { // a name that is none: the control plane tells it
                    condition = PartCondition.DAMAGED;
                }
            }
        }
    }

    private static String kind(Field object) {
        try {
            return object.at("kind").text();
        } catch (MisreadException _) {
            return "";
        }
    }

    private void read(String kind, Field object, Tree root) {
        switch (kind) {
            case "Deployment" -> add(DeploymentReader.read(root));
            case "StatefulSet" -> add(DeploymentReader.readStatefulSet(root));
            case "Pod" -> add(DeploymentReader.readPod(root));
            case "Service" -> services.put(name(kind, object), service(object, root));
            case "Namespace" -> namespaces.put(name(kind, object), namespace(object, root));
            case "Gateway" -> {
                if (object.at("apiVersion").text().startsWith("gateway.networking.k8s.io/")) { // others have no pods
                    gateways.put(name(kind, object), root);
                }
            }
            case "ConfigMap" ->
                overlays.put(name(kind, object), object.at("data").textMap());
            default -> {} // the control plane's
        }
    }

    private static ObjectName name(String kind, Field object) {
        var metadata = object.at("metadata");
        var namespace = kind.equals("Namespace") ? "" : metadata.at("namespace").text("default");
        return new ObjectName(kind, namespace, metadata.at("name").requiredText());
    }

    private void add(Deployment deployment) {
        deployments.put(deployment.key(), deployment);
    }

    static Declared.Service service(Field object, Tree root) {
        var spec = object.at("spec");
        var ports = new ArrayList<LocalServicePort>();
        for (var port : spec.at("ports").items()) {
            var number = port.at("port").requiredInteger(1, 65535);
            var target = port.at("targetPort");
            var protocol = port.at("protocol").text("TCP");
            if (!protocol.equals("SCTP")) {
                ports.add(new LocalServicePort(
                        protocol.equals("UDP") ? Protocol.UDP : Protocol.TCP,
                        number,
                        target.isText()
                                ? target.text()
                                : "" + target.integer(1, 65535).orElse(number)));
            }
        }
        var balanced = new HashMap<Integer, Integer>();
        if (spec.at("type").text().equals("LoadBalancer")) {
            for (var port : spec.at("ports").items()) {
                var number = port.at("port").requiredInteger(1, 65535);
                var target = port.at("targetPort");
                balanced.put(
                        number,
                        target.isText() ? number : target.integer(1, 65535).orElse(number));
            }
        }
        var external = spec.at("type").text("ClusterIP").equals("ExternalName");
        var alias = external ? spec.at("externalName").requiredText().toLowerCase(Locale.ROOT) : "";
        return new Declared.Service(
                Json.compact(root),
                external ? "None" : spec.at("clusterIP").text(),
                alias.endsWith(".") ? alias.substring(0, alias.length() - 1) : alias,
                spec.at("selector").textMap(),
                ports,
                balanced);
    }

    private static Declared.Namespace namespace(Field object, Tree root) {
        return new Declared.Namespace(
                Json.compact(root), object.at("metadata").at("labels").textMap());
    }
}
