// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.install;

import io.fathom.wire.kube.tree.Tree;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// The network configurations of a node. Runtimes take the first one by name.
final class NetworkFolder {
    private static final String SINGLE = ".conf";
    private static final String LIST = ".conflist";

    /// A file that holds a usable configuration.
    record FoundConfiguration(Path file, Tree.Mapping config) {
        String name() {
            return String.valueOf(file.getFileName());
        }
    }

    private final Path folder;

    NetworkFolder(Path folder) {
        this.folder = folder;
    }

    /// The first usable one that is not `excluded`; empty when there is none.
    Optional<FoundConfiguration> first(Optional<String> excluded) throws IOException {
        for (var file : files()) {
            if (!excluded.equals(Optional.of(String.valueOf(file.getFileName())))) {
                var found = read(file);
                if (found.isPresent()) {
                    return found;
                }
            }
        }
        return Optional.empty();
    }

    /// The one of that name; `x.conf` and `x.conflist` stand in for each other.
    Optional<FoundConfiguration> named(String name) throws IOException {
        var found = read(folder.resolve(name));
        return found.isPresent() ? found : read(folder.resolve(counterpart(name)));
    }

    Path file(String name) {
        return folder.resolve(name);
    }

    /// The name under which a configuration goes on as a list.
    static String listName(String name) {
        return name.endsWith(SINGLE) ? counterpart(name) : name;
    }

    private static String counterpart(String name) {
        if (name.endsWith(LIST)) {
            return name.substring(0, name.length() - LIST.length()) + SINGLE;
        }
        return name.endsWith(SINGLE) ? name.substring(0, name.length() - SINGLE.length()) + LIST : name;
    }

    static Optional<FoundConfiguration> read(Path file) throws IOException {
        try {
            return NetworkLists.parse(file.toString(), Files.readString(file))
                    .map(config -> new FoundConfiguration(file, config));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }

    private List<Path> files() throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (var all = Files.list(folder)) {
            return all.filter(file ->
                            file.toString().endsWith(SINGLE) || file.toString().endsWith(LIST))
                    .filter(Files::isRegularFile)
                    .sorted()
                    .toList();
        }
    }
}
