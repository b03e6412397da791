// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.schema;

import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.MisreadException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;

/// The kinds that Istio, the Gateway API and Kubernetes have in the groups that we know, and their schemas. Loaded when
/// first used; types are read when the first object of their kind comes. Any thread.
public final class Schemas {
    private static final String FILE = "schema.txt";
    private static final String UNCHECKED = "-";

    /// Loads it once.
    private static final class Holder {
        private static final Schemas ALL = new Schemas(load());

        private static String load() {
            try (var in = Schemas.class.getResourceAsStream(FILE)) {
                if (in == null) {
                    throw new IllegalStateException(FILE + " is missing");
                }
                return new String(in.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /// By group, kind and version: the name of the type.
    private final Map<String, Map<String, SequencedMap<String, String>>> groups = new LinkedHashMap<>();
    private final SchemaText types;
    private final Marks marks;

    private Schemas(String text) {
        this.types = new SchemaText(text);
        this.marks = new Marks(text);
        text.lines().takeWhile(line -> !line.startsWith("type ")).forEach(line -> {
            var words = line.split(" ", -1);
            if (words[0].equals("kind")) {
                groups.computeIfAbsent(words[1].equals("core") ? "" : words[1], _ -> new LinkedHashMap<>())
                        .computeIfAbsent(words[2], _ -> new LinkedHashMap<>())
                        .put(words[3], words[4]);
            }
        });
    }

    public static Schemas all() {
        return Holder.ALL;
    }

    Set<String> groups() {
        return groups.keySet();
    }

    Set<String> kinds(String group) {
        return groups.getOrDefault(group, Map.of()).keySet();
    }

    /// Which versions a kind is served in; none if there is no such kind.
    List<String> versions(String group, String kind) {
        var versions = groups.getOrDefault(group, Map.of()).get(kind);
        return versions == null ? List.of() : List.copyOf(versions.keySet());
    }

    /// Whether an API server with all definitions serves this.
    public boolean isServed(String group, String version, String kind) {
        return versions(group, kind).contains(version);
    }

    /// Everything in an object that the API server would not let it have, in the order of lines. Nothing is found in a
    /// kind that only its name is known of.
    public List<MisreadException> check(String group, String version, String kind, Field object) {
        // In an object that protects something, nothing where something was may open it.
        var nulls = group.equals("security.istio.io") ? SchemaCheck.Nulls.MISTAKE : SchemaCheck.Nulls.NOTHING;
        return Optional.ofNullable(groups.get(group))
                .map(kinds -> kinds.get(kind))
                .map(versions -> versions.get(version))
                .filter(type -> !type.equals(UNCHECKED))
                .map(type -> SchemaCheck.mistakes(types.type(type), object, nulls))
                .orElse(List.of());
    }

    /// Labels and annotations of the mesh that nobody knows.
    public List<MisreadException> checkMarks(Field metadata) {
        return marks.check(metadata);
    }
}
