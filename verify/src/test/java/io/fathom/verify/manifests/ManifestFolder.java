// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.manifests;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// A folder with one object per file that changes as a cluster does when manifests are applied and deleted.
///
/// Names begin with a growing number, so the order of the files is the order in which the objects came to be. Files
/// appear by atomic rename, and only when their content differs.
public final class ManifestFolder {
    private record Entry(Path file, ManifestDocument document) {}

    private final Path folder;
    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private int created;

    public ManifestFolder(Path folder) {
        this.folder = folder;
    }

    public Path path() {
        return folder;
    }

    public Collection<ManifestDocument> objects() {
        return entries.values().stream().map(Entry::document).toList();
    }

    /// Adds the objects, or replaces those of the same kind and name.
    public void apply(List<ManifestDocument> documents) {
        documents.forEach(this::apply);
    }

    /// Makes these the only objects, exactly as written; of two of the same name the last counts.
    public void become(List<ManifestDocument> documents) {
        var wanted = new LinkedHashMap<String, ManifestDocument>();
        documents.forEach(document -> wanted.put(document.path(), document));
        wanted.values().forEach(this::put);
        delete(objects().stream().filter(o -> !wanted.containsKey(o.path())).toList());
    }

    public void delete(List<ManifestDocument> documents) {
        for (var document : documents) {
            var entry = entries.remove(document.path());
            if (entry == null) {
                throw new IllegalArgumentException("cannot delete what is not there: " + document.path());
            }
            try {
                Files.delete(entry.file);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void apply(ManifestDocument document) {
        var before = entries.get(document.path());
        put(before == null ? document : document.keepingStatusOf(before.document));
    }

    private void put(ManifestDocument document) {
        var before = entries.get(document.path());
        var file = before == null ? newFile(document) : before.file;
        if (before == null || !before.document.text().equals(document.text())) {
            write(file, document.text());
        }
        entries.put(document.path(), new Entry(file, document));
    }

    /// Writes a file that is none of the objects and stays until the folder goes.
    public void writeAside(String name, String text) {
        write(folder.resolve(name), text);
    }

    private Path newFile(ManifestDocument document) {
        return folder.resolve("%05d_%s_%s_%s.yaml"
                .formatted(
                        created++,
                        document.kind().toLowerCase(Locale.ROOT),
                        document.namespace(),
                        document.name().replaceAll("[^a-z0-9.-]", "_")));
    }

    private static void write(Path file, String text) {
        try {
            var next = file.resolveSibling(file.getFileName() + ".next");
            Files.writeString(next, text);
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
