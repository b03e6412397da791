// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.folder;

import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.folder.ObjectName;
import io.fathom.wire.kube.manifest.ManifestProblem;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Limits;
import io.fathom.wire.kube.tree.Tree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/// The folder that people write, looked at whenever somebody asks. A change counts once the files have been the same
/// for two looks, so that a file that is being written does not take pods away. What a file that cannot be read in full
/// held before stays. Of several folders, the last one that has an object counts. One thread only.
public final class UserFolder {
    private final List<Path> roots;
    private final Optional<GatewayReader> gatewayReader;
    private final OptionalInt cluster;
    private final Comparator<String> order;
    private final SortedMap<String, FolderPart> parts;
    private SortedMap<String, String> seen;
    private SortedMap<String, String> read;
    private Map<ObjectName, GatewayReader.Played> played = Map.of();
    private boolean begun;

    /// @param gatewayReader without one, Gateways are left alone
    public UserFolder(Path root, Optional<GatewayReader> gatewayReader) {
        this(List.of(root), gatewayReader, OptionalInt.empty());
    }

    /// @param gatewayReader without one, Gateways are left alone
    /// @param cluster which one of several it is for
    public UserFolder(List<Path> roots, Optional<GatewayReader> gatewayReader, OptionalInt cluster) {
        this.roots = List.copyOf(roots);
        this.gatewayReader = gatewayReader;
        this.cluster = cluster;
        this.order = Comparator.comparingInt(this::place).thenComparing(Comparator.naturalOrder());
        this.parts = new TreeMap<>(order);
        this.seen = new TreeMap<>(order);
        this.read = new TreeMap<>(order);
    }

    /// The last folder comes first.
    private int place(String file) {
        for (int i = roots.size() - 1; i > 0; i--) {
            if (Path.of(file).startsWith(roots.get(i))) {
                return -i;
            }
        }
        return 0;
    }

    /// What is declared now, if that changed.
    public Optional<Declared> poll() {
        var now = stamps();
        var settled = now.equals(seen);
        seen = now;
        if ((!settled && begun) || (begun && now.equals(read))) {
            return Optional.empty();
        }
        begun = true;
        parts.keySet().retainAll(now.keySet());
        now.forEach((file, stamp) -> {
            if (!stamp.equals(read.get(file))) {
                load(file);
            }
        });
        read = now;
        return Optional.of(sum());
    }

    private SortedMap<String, String> stamps() {
        var stamps = new TreeMap<String, String>(order);
        for (var root : roots) {
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
        }
        return stamps;
    }

    private static boolean isManifest(Path file) {
        var name = String.valueOf(file.getFileName());
        return !name.startsWith(".") && (name.endsWith(".yaml") || name.endsWith(".yml")) && Files.isRegularFile(file);
    }

    private void load(String file) {
        var before = parts.getOrDefault(file, FolderPart.NOTHING);
        try {
            var documents = Documents.ofYaml(file, Files.readString(Path.of(file)), Limits.DEFAULT);
            parts.put(file, FolderPartReader.read(file, documents, cluster).after(before));
        } catch (IOException _) {
            parts.put(file, before); // the control plane tells it
        }
    }

    private Declared sum() {
        var deployments = new TreeMap<String, Deployment>();
        var services = new HashMap<ObjectName, Declared.Service>();
        var namespaces = new HashMap<ObjectName, Declared.Namespace>();
        var gateways = new HashMap<ObjectName, GatewayReader.Played>();
        var problems = new ArrayList<ManifestProblem>();
        var overlays = new HashMap<ObjectName, Map<String, String>>();
        parts.values().forEach(part -> part.overlays().forEach(overlays::putIfAbsent));
        parts.forEach((file, part) -> {
            part.gateways().forEach((name, tree) -> {
                play(file, name, tree, overlays, problems).ifPresent(it -> {
                    gateways.put(name, it);
                    deployments.put(it.deployment().key(), it.deployment());
                    services.put(it.service(), it.as());
                });
            });
            part.deployments().forEach(deployments::putIfAbsent);
            part.services().forEach(services::putIfAbsent);
            part.namespaces().forEach(namespaces::putIfAbsent);
            problems.addAll(part.problems());
        });
        played = Map.copyOf(gateways);
        return new Declared(deployments, services, namespaces, gateways, problems);
    }

    /// What becomes of a Gateway; what became of it before, if it asks for what cannot be had.
    private Optional<GatewayReader.Played> play(
            String file,
            ObjectName name,
            Tree tree,
            Map<ObjectName, Map<String, String>> overlays,
            List<ManifestProblem> problems) {
        try {
            return gatewayReader.flatMap(reader -> reader.read(
                    tree,
                    overlay ->
                            Optional.ofNullable(overlays.get(new ObjectName("ConfigMap", name.namespace(), overlay)))));
        } catch (ProblemException e) {
            var object = Field.root(tree);
            problems.add(new ManifestProblem(
                    file, object.position().line(), Unplayable.title(name.kind(), object), "", e.problem()));
            return Optional.ofNullable(played.get(name));
        }
    }
}
