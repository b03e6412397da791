// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.folder;

import io.fathom.base.lang.Problem;
import io.fathom.wire.kube.manifest.ManifestProblem;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/// All manifest files below a folder at one time, links followed.
final class FolderScan {
    private final SortedMap<String, Long> stamps = new TreeMap<>();
    private final List<ManifestProblem> problems = new ArrayList<>();
    private final List<String> hidden = new ArrayList<>();
    private final List<Object> ancestors = new ArrayList<>();
    private final Consumer<Path> entering;

    private FolderScan(Consumer<Path> entering) {
        this.entering = entering;
    }

    /// @param entering told of each folder before it is listed
    static FolderScan of(Path root, Consumer<Path> entering) {
        var scan = new FolderScan(entering);
        try {
            scan.visit(root, identity(root, Files.readAttributes(root, BasicFileAttributes.class)));
        } catch (IOException e) {
            scan.cannotList(root, e);
        }
        return scan;
    }

    /// Stamps by file, in order of paths.
    SortedMap<String, Long> stamps() {
        return stamps;
    }

    List<ManifestProblem> problems() {
        return problems;
    }

    /// Whether the file is in a folder that could not be listed, so that its absence means nothing.
    boolean isOutOfSight(String file) {
        return hidden.stream().anyMatch(folder -> file.startsWith(folder));
    }

    private void visit(Path folder, Object identity) throws IOException {
        entering.accept(folder);
        ancestors.add(identity);
        try (var entries = Files.newDirectoryStream(folder, entry -> !FileNames.isHidden(nameOf(entry)))) {
            for (var entry : entries) {
                visitEntry(entry);
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        } finally {
            ancestors.removeLast();
        }
    }

    private void visitEntry(Path entry) {
        try {
            var attributes = Files.readAttributes(entry, BasicFileAttributes.class);
            if (attributes.isDirectory()) {
                visitFolder(entry, identity(entry, attributes));
            } else if (FileNames.isManifest(nameOf(entry))) {
                stamps.put(entry.toString(), FileNames.stamp(attributes));
            }
        } catch (IOException e) {
            // The loader finds out what is wrong with it.
            if (FileNames.isManifest(nameOf(entry)) && Files.exists(entry, LinkOption.NOFOLLOW_LINKS)) {
                stamps.put(entry.toString(), Look.NO_STAMP);
            }
        }
    }

    private void visitFolder(Path folder, Object identity) {
        if (ancestors.contains(identity)) {
            problems.add(ManifestProblem.ofFile(
                    folder.toString(),
                    Problem.ofInput(
                            "manifest-folder-loop",
                            "is a link to a folder above it",
                            "delete the link; what it leads to is read already")));
            return;
        }
        try {
            visit(folder, identity);
        } catch (NoSuchFileException _) {
            // Deleted since it was listed.
        } catch (IOException e) {
            cannotList(folder, e);
        }
    }

    private void cannotList(Path folder, IOException cause) {
        hidden.add(folder + folder.getFileSystem().getSeparator());
        problems.add(ManifestProblem.ofFile(
                folder.toString(),
                Problem.ofInput(
                        "manifest-folder-unreadable",
                        "cannot be listed (" + cause.getClass().getSimpleName()
                                + "); what was read from it before stays",
                        "create the folder and let the user of fathomd read and enter it")));
    }

    private static Object identity(Path folder, BasicFileAttributes attributes) throws IOException {
        var key = attributes.fileKey();
        return key == null ? folder.toRealPath() : key;
    }

    private static String nameOf(Path path) {
        return String.valueOf(path.getFileName());
    }
}
