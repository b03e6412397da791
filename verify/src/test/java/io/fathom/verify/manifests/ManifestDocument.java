// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.manifests;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/// One document of a manifest file, with the text it was written in.
public record ManifestDocument(String kind, String namespace, String name, Map<String, Object> content, String text) {
    private static final Pattern SEPARATOR = Pattern.compile("(?m)^---\\s*$");

    /// All documents of a file; parts with nothing but comments do not count.
    public static List<ManifestDocument> readFile(Path file) {
        try {
            return SEPARATOR
                    .splitAsStream(Files.readString(file))
                    .map(ManifestDocument::parse)
                    .flatMap(Optional::stream)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// All documents of the files of a folder, in the order of the file names. A missing folder is an empty one.
    public static List<ManifestDocument> readFolder(Path folder) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            var all = new ArrayList<ManifestDocument>();
            files.filter(file -> file.toString().endsWith(".yaml"))
                    .filter(file -> !file.endsWith("delete.yaml"))
                    .sorted()
                    .forEach(file -> all.addAll(readFile(file)));
            return all;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static Optional<ManifestDocument> parse(String text) {
        var loaded = new Load(LoadSettings.builder().build()).loadFromString(text);
        if (!(loaded instanceof Map<?, ?> map)) {
            return Optional.empty();
        }
        var content = object(map);
        var metadata = object(content.get("metadata"));
        return Optional.of(new ManifestDocument(
                String.valueOf(content.get("kind")),
                metadata.getOrDefault("namespace", "").toString(),
                String.valueOf(metadata.get("name")),
                content,
                text.strip() + "\n"));
    }

    /// An object as the API server answers it; JSON is YAML too.
    public static ManifestDocument of(JsonNode object) {
        return parse(object.toPrettyString()).orElseThrow();
    }

    /// Names the object as the recordings do.
    public String path() {
        return namespace.isEmpty() ? kind + "/" + name : kind + "/" + namespace + "/" + name;
    }

    /// Status is a resource of its own on the API server: applying a manifest without one leaves it alone.
    ManifestDocument keepingStatusOf(ManifestDocument before) {
        var status = before.content.get("status");
        if (status == null || content.containsKey("status")) {
            return this;
        }
        var merged = new LinkedHashMap<>(content);
        merged.put("status", status);
        var text = new Dump(DumpSettings.builder().build()).dumpToString(merged);
        return new ManifestDocument(kind, namespace, name, merged, text);
    }

    private static Map<String, Object> object(@Nullable Object value) {
        var result = new LinkedHashMap<String, Object>();
        if (value instanceof Map<?, ?> map) {
            map.forEach((key, each) -> {
                if (each != null) {
                    result.put(String.valueOf(key), each);
                }
            });
        }
        return result;
    }
}
