package io.fathom.tools.local;

import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.folder.ObjectName;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Limits;
import io.fathom.wire.kube.tree.MisreadException;
import io.fathom.wire.kube.tree.Tree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// The folder that people write, looked at whenever somebody asks. A change counts once the files have been the same
/// for two looks, so that a file that is being written does not take pods away; a file that cannot be read keeps its
/// last good state. One thread only.
final class UserFolder {
    private final Path root;
    private final Optional<GatewayReader> gatewayReader;
    private final SortedMap<String, Part> parts = new TreeMap<>();
    private final Map<String, String> broken = new TreeMap<>();
    private SortedMap<String, String> seen = new TreeMap<>();
    private SortedMap<String, String> read = new TreeMap<>();
    private boolean begun;

    /// What one file holds.
    private record Part(
            List<Deployment> deployments,
            Map<ObjectName, Declared.Service> services,
            Map<ObjectName, Declared.Namespace> namespaces,
            Map<ObjectName, GatewayReader.Played> gateways) {}

    /// @param gatewayReader without one, Gateways are left alone
    UserFolder(Path root, Optional<GatewayReader> gatewayReader) {
        this.root = root;
        this.gatewayReader = gatewayReader;
    }

    /// What is declared now, if that changed.
    Optional<Declared> poll() {
        var now = stamps();
        var settled = now.equals(seen);
        seen = now;
        if ((!settled && begun) || (begun && now.equals(read))) {
            return Optional.empty();
        }
        begun = true;
        parts.keySet().retainAll(now.keySet());
        broken.keySet().retainAll(now.keySet());
        now.forEach((file, stamp) -> {
            if (!stamp.equals(read.get(file))) {
                load(file);
            }
        });
        read = now;
        return Optional.of(sum());
    }

    private SortedMap<String, String> stamps() {
        var stamps = new TreeMap<String, String>();
        try (var files = Files.walk(root, FileVisitOption.FOLLOW_LINKS)) {
            files.filter(UserFolder::isManifest).forEach(file -> {
                try {
                    stamps.put(file.toString(), Files.getLastModifiedTime(file) + " " + Files.size(file));
                } catch (IOException _) {
                    // Gone since it was listed.
                }
            });
        } catch (IOException | UncheckedIOException _) {
            return new TreeMap<>(seen); // not to be listed just now: nothing is known to have changed
        }
        return stamps;
    }

    private static boolean isManifest(Path file) {
        var name = String.valueOf(file.getFileName());
        return !name.startsWith(".") && (name.endsWith(".yaml") || name.endsWith(".yml")) && Files.isRegularFile(file);
    }

    private void load(String file) {
        var deployments = new ArrayList<Deployment>();
        var services = new HashMap<ObjectName, Declared.Service>();
        var namespaces = new HashMap<ObjectName, Declared.Namespace>();
        var gateways = new HashMap<ObjectName, GatewayReader.Played>();
        try {
            for (var document : Documents.ofYaml(file, Files.readString(Path.of(file)), Limits.DEFAULT)) {
                switch (document) {
                    case Document.Broken(var cause) -> throw cause;
                    case Document.Parsed(var root) -> {
                        var object = Field.root(root);
                        switch (object.at("kind").text()) {
                            case "Deployment" -> deployments.add(DeploymentReader.read(root));
                            case "Service" -> services.put(name("Service", object), service(object, root));
                            case "Namespace" -> namespaces.put(name("Namespace", object), namespace(object, root));
                            case "Gateway" ->
                                gateway(object, root)
                                        .ifPresent(played -> gateways.put(name("Gateway", object), played));
                            default -> {} // the control plane's
                        }
                    }
                }
            }
            parts.put(file, new Part(deployments, services, namespaces, gateways));
            broken.remove(file);
        } catch (MisreadException e) {
            broken.put(file, String.valueOf(e.getMessage()));
        } catch (ProblemException e) {
            broken.put(file, file + ": " + e.problem());
        } catch (IOException | IllegalArgumentException e) {
            broken.put(file, file + ": cannot be read: " + e.getMessage());
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

    private Declared sum() {
        var deployments = new TreeMap<String, Deployment>();
        var services = new HashMap<ObjectName, Declared.Service>();
        var namespaces = new HashMap<ObjectName, Declared.Namespace>();
        var gateways = new HashMap<ObjectName, GatewayReader.Played>();
        parts.values().forEach(part -> {
            part.gateways().forEach((name, played) -> {
                gateways.put(name, played);
                deployments.put(played.deployment().key(), played.deployment());
                services.put(played.service(), played.as());
            });
            part.deployments().forEach(deployment -> deployments.putIfAbsent(deployment.key(), deployment));
            part.services().forEach(services::putIfAbsent);
            part.namespaces().forEach(namespaces::putIfAbsent);
        });
        return new Declared(deployments, services, namespaces, gateways, List.copyOf(broken.values()));
    }
}
