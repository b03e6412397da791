package io.fathom.tools.local;

import io.fathom.base.lang.ProblemException;
import io.fathom.tools.local.FolderPart.Condition;
import io.fathom.wire.kube.ManifestProblem;
import io.fathom.wire.kube.folder.ObjectName;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.MisreadException;
import io.fathom.wire.kube.tree.Tree;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Reads the documents of one file. A document that cannot be read costs no other. For one file; one thread only.
final class FolderPartReader {
    private final String file;
    private final Optional<GatewayReader> gatewayReader;
    private final Map<String, Deployment> deployments = new HashMap<>();
    private final Map<ObjectName, Declared.Service> services = new HashMap<>();
    private final Map<ObjectName, Declared.Namespace> namespaces = new HashMap<>();
    private final Map<ObjectName, GatewayReader.Played> gateways = new HashMap<>();
    private final List<ManifestProblem> problems = new ArrayList<>();
    private Condition condition = Condition.COMPLETE;

    private FolderPartReader(String file, Optional<GatewayReader> gatewayReader) {
        this.file = file;
        this.gatewayReader = gatewayReader;
    }

    static FolderPart read(String file, List<Document> documents, Optional<GatewayReader> gatewayReader) {
        var reader = new FolderPartReader(file, gatewayReader);
        documents.forEach(reader::read);
        return new FolderPart(
                reader.deployments,
                reader.services,
                reader.namespaces,
                reader.gateways,
                reader.problems,
                reader.condition);
    }

    private void read(Document document) {
        switch (document) {
            case Document.Broken _ -> condition = Condition.DAMAGED; // the control plane tells it
            case Document.Parsed(var root) -> {
                var object = Field.root(root);
                var kind = kind(object);
                try {
                    read(kind, object, root);
                    problems.addAll(Unplayable.of(file, kind, object));
                } catch (MisreadException e) {
                    condition = Condition.DAMAGED;
                    if (kind.equals("Deployment")) { // others the control plane tells
                        problems.add(ManifestProblem.of(e, Unplayable.title(kind, object)));
                    }
                } catch (ProblemException e) {
                    condition = Condition.DAMAGED;
                    problems.add(new ManifestProblem(
                            file, object.position().line(), Unplayable.title(kind, object), "", e.problem()));
                } catch (IllegalArgumentException _) { // a name that is none: the control plane tells it
                    condition = Condition.DAMAGED;
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
            case "Deployment" -> {
                var deployment = DeploymentReader.read(root);
                deployments.put(deployment.key(), deployment);
            }
            case "Service" -> services.put(name(kind, object), service(object, root));
            case "Namespace" -> namespaces.put(name(kind, object), namespace(object, root));
            case "Gateway" -> gateway(object, root).ifPresent(played -> gateways.put(name(kind, object), played));
            default -> {} // the control plane's
        }
    }

    private static ObjectName name(String kind, Field object) {
        var metadata = object.at("metadata");
        var namespace = kind.equals("Namespace") ? "" : metadata.at("namespace").text("default");
        return new ObjectName(kind, namespace, metadata.at("name").requiredText());
    }

    /// Gateways of Istio's own kind have no pods of ours.
    private Optional<GatewayReader.Played> gateway(Field object, Tree root) {
        return object.at("apiVersion").text().startsWith("gateway.networking.k8s.io/")
                ? gatewayReader.flatMap(reader -> reader.read(root))
                : Optional.empty();
    }

    static Declared.Service service(Field object, Tree root) {
        var spec = object.at("spec");
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
        var wantsAddress = spec.at("type").text("ClusterIP").equals("ExternalName") ? "None" : "";
        return new Declared.Service(
                Json.compact(root),
                spec.at("clusterIP").text(wantsAddress),
                spec.at("selector").textMap(),
                balanced);
    }

    private static Declared.Namespace namespace(Field object, Tree root) {
        return new Declared.Namespace(
                Json.compact(root), object.at("metadata").at("labels").textMap());
    }
}
