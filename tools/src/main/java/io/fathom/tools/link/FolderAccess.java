// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.link;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.tools.query.FathomdClient;
import io.fathom.wire.kube.folder.ObjectFiles;
import io.fathom.wire.kube.folder.ObjectName;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Limits;
import io.fathom.wire.kube.tree.MisreadException;
import io.fathom.wire.kube.tree.Tree;
import io.fathom.wire.kube.trust.TrustBundleObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// A cluster of `bin/up`: its objects are files.
public final class FolderAccess implements ClusterAccess {
    private final String context;
    private final LocalClusterFile cluster;
    private final ObjectFiles applied;

    /// @throws ProblemException when there is no cluster in that folder
    public FolderAccess(String context, Path folder) {
        this.context = context;
        this.cluster = LocalClusterFile.read(folder);
        this.applied = ObjectFiles.in(cluster.applied());
    }

    @Override
    public String context() {
        return context;
    }

    @Override
    public Optional<String> clusterId() {
        return Optional.of(cluster.id());
    }

    @Override
    public Optional<String> roots() {
        try {
            return Optional.of(Files.readString(cluster.roots()));
        } catch (IOException _) {
            return Optional.empty(); // its control plane has not written them yet
        }
    }

    @Override
    public Optional<String> controlPlane() {
        return Optional.of(cluster.controlPlane());
    }

    @Override
    public Optional<FathomdClient> fathomd() {
        return Optional.of(FathomdClient.of("127.0.0.1:" + cluster.http()));
    }

    @Override
    public List<Tree> gateways() {
        return objects().entrySet().stream()
                .filter(object -> object.getKey().kind().equals("Gateway"))
                .map(Map.Entry::getValue)
                .filter(tree -> Field.root(tree).at("apiVersion").text().startsWith("gateway.networking.k8s.io/"))
                .toList();
    }

    @Override
    public Optional<Tree> object(LinkKind kind, String namespace, String name) {
        var word = switch (kind) {
            case NAMESPACE -> "Namespace";
            case CONFIG_MAP -> "ConfigMap";
        };
        return Optional.ofNullable(
                objects().get(new ObjectName(word, kind == LinkKind.NAMESPACE ? "" : namespace, name)));
    }

    @Override
    public void apply(Tree object) {
        var _ = applied.put(Json.compact(object));
    }

    @Override
    public List<Tree> trustBundles(String namespace) {
        return objects().entrySet().stream()
                .filter(object -> object.getKey().kind().equals("ConfigMap")
                        && object.getKey().namespace().equals(namespace))
                .map(Map.Entry::getValue)
                .filter(tree -> TrustBundleObject.isOne(Field.root(tree)))
                .toList();
    }

    @Override
    public void deleteGateway(String namespace, String name) {
        delete("Gateway", namespace, name);
    }

    @Override
    public void deleteConfigMap(String namespace, String name) {
        delete("ConfigMap", namespace, name);
    }

    private void delete(String kind, String namespace, String name) {
        if (!applied.delete(new ObjectName(kind, namespace, name))) {
            throw new ProblemException(Problem.ofInput(
                    kind.toLowerCase(Locale.ROOT) + "-not-applied",
                    kind + " " + namespace + "/" + name + " of " + context + " is in a file of somebody else",
                    "take it out of that file"));
        }
    }

    /// What cannot be read is left to the control plane to complain of. Files may come and go meanwhile.
    private Map<ObjectName, Tree> objects() {
        var objects = new TreeMap<ObjectName, Tree>(Comparator.comparing(ObjectName::toString));
        for (var folder : cluster.folders()) {
            files(folder).forEach(file -> read(file, objects));
        }
        return objects;
    }

    private static SortedSet<Path> files(Path folder) {
        var found = new TreeSet<Path>();
        try {
            Files.walkFileTree(
                    folder, Set.of(FileVisitOption.FOLLOW_LINKS), Integer.MAX_VALUE, new SimpleFileVisitor<>() {
                        @Override
                        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                            if (isManifest(file)) {
                                found.add(file);
                            }
                            return FileVisitResult.CONTINUE;
                        }

                        @Override
                        public FileVisitResult visitFileFailed(Path file, IOException gone) {
                            return FileVisitResult.CONTINUE;
                        }
                    });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found;
    }

    private static boolean isManifest(Path file) {
        var name = String.valueOf(file.getFileName());
        return !name.startsWith(".") && (name.endsWith(".yaml") || name.endsWith(".yml")) && Files.isRegularFile(file);
    }

    private static void read(Path file, Map<ObjectName, Tree> objects) {
        try {
            for (var document : Documents.ofYaml(file.toString(), Files.readString(file), Limits.DEFAULT)) {
                if (document instanceof Document.Parsed(var root)) {
                    name(root).ifPresent(name -> objects.put(name, root));
                }
            }
        } catch (NoSuchFileException _) {
            // gone since it was listed
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Optional<ObjectName> name(Tree tree) {
        try {
            var object = Field.root(tree);
            var kind = object.at("kind").text();
            var metadata = object.at("metadata");
            var namespace =
                    kind.equals("Namespace") ? "" : metadata.at("namespace").text("default");
            return Optional.of(
                    new ObjectName(kind, namespace, metadata.at("name").text()));
        } catch (MisreadException | IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    @Override
    public void close() {
        // nothing is open
    }
}
