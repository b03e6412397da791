// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fathom.verify.client.Answer;
import io.fathom.verify.client.ResourceType;
import io.fathom.verify.manifests.ManifestDocument;
import io.fathom.verify.manifests.Recordings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/// One recording: manifests, what upstream answered, and the same after each update. Step 0 is the start.
///
/// @param env feature switches that were not at their defaults
/// @param updates how many steps follow the start
record GoldenScenario(Path folder, String about, Map<String, String> env, int updates) {
    /// The name of the second cluster, where there is one.
    static final String PEER = "cluster-2";

    private static final ObjectMapper JSON = new ObjectMapper();

    /// A DENY without rules denies nothing upstream, whose webhook refuses it; here it denies everything.
    private static final Set<String> DIFFERENT = Set.of("AuthorizationPolicy/app/no-rules");

    /// Names sent on an open stream during one step. `resent` holds what upstream sent again without change.
    record Pushed(SortedSet<String> updated, SortedSet<String> removed, SortedSet<String> resent) {}

    static List<GoldenScenario> all() {
        try (Stream<Path> folders = Files.list(Recordings.path("wds"))) {
            return folders.sorted().map(GoldenScenario::read).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The objects that exist before every scenario.
    static List<ManifestDocument> base() {
        return ManifestDocument.readFolder(Recordings.path("base"));
    }

    String name() {
        return folder.getFileName().toString();
    }

    /// Whether a second cluster, [#PEER], is part of it.
    boolean hasPeer() {
        return Files.isDirectory(folder.resolve("remote"));
    }

    /// What is applied in a step.
    List<ManifestDocument> applied(int step) {
        return applied(folder, step);
    }

    /// What is deleted in a step, after the rest was applied.
    List<ManifestDocument> deleted(int step) {
        return deleted(folder, step);
    }

    /// What is applied in the second cluster in a step.
    List<ManifestDocument> peerApplied(int step) {
        return applied(folder.resolve("remote"), step);
    }

    /// What is deleted there.
    List<ManifestDocument> peerDeleted(int step) {
        return deleted(folder.resolve("remote"), step);
    }

    private static List<ManifestDocument> applied(Path cluster, int step) {
        var files = cluster.resolve(step == 0 ? "input" : "update-" + step);
        return Files.isDirectory(files) ? likeUpstream(ManifestDocument.readFolder(files)) : List.of();
    }

    private static List<ManifestDocument> deleted(Path cluster, int step) {
        var file = cluster.resolve("update-" + step).resolve("delete.yaml");
        return Files.exists(file) ? ManifestDocument.readFile(file) : List.of();
    }

    /// All objects after a step, as the API server held them.
    List<ManifestDocument> state(int step) {
        return likeUpstream(ManifestDocument.readFile(file("state", step, ".yaml")));
    }

    /// Without objects that mean something else to us on purpose: docs/differences.md.
    private static List<ManifestDocument> likeUpstream(List<ManifestDocument> documents) {
        return documents.stream()
                .filter(document -> !DIFFERENT.contains(document.path()))
                .toList();
    }

    Answer expected(int step) {
        return Answer.read(file("expected", step, ".json"))
                .only(name -> DIFFERENT.stream().noneMatch(path -> path.endsWith("/" + name)));
    }

    /// Conditions and addresses that upstream wrote back, by `Kind/namespace/name`.
    JsonNode written(int step) {
        var written = json(file("written", step, ".json"));
        ((ObjectNode) written).remove(DIFFERENT);
        return written;
    }

    Pushed pushed(int step, ResourceType type) {
        var section =
                json(file("pushed", step, ".json")).path(type == ResourceType.ADDRESS ? "addresses" : "authorizations");
        return new Pushed(names(section, "updated"), names(section, "removed"), names(section, "resent"));
    }

    private Path file(String stem, int step, String suffix) {
        return folder.resolve(step == 0 ? stem + suffix : stem + "-" + step + suffix);
    }

    private static GoldenScenario read(Path folder) {
        try {
            var about = (Map<?, ?>)
                    Objects.requireNonNull(new Load(LoadSettings.builder().build())
                            .loadFromString(Files.readString(folder.resolve("about.yaml"))));
            var env = new HashMap<String, String>();
            env.put("FATHOM_MESH_WIDE_NAMES", "false"); // upstream has no such names
            if (about.get("env") instanceof Map<?, ?> switches) {
                switches.forEach((key, value) -> env.put(String.valueOf(key), String.valueOf(value)));
            }
            var updates = 0;
            while (Files.exists(folder.resolve("expected-" + (updates + 1) + ".json"))) {
                updates++;
            }
            return new GoldenScenario(folder, String.valueOf(about.get("about")), Map.copyOf(env), updates);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static SortedSet<String> names(JsonNode section, String field) {
        var names = new TreeSet<String>();
        section.path(field).forEach(name -> names.add(name.textValue()));
        return names;
    }

    private static JsonNode json(Path file) {
        try {
            return JSON.readTree(Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
