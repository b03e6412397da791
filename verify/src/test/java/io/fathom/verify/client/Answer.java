// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/// All resources of both types by name, each normalised: equal answers mean the same to every client.
public record Answer(SortedMap<String, JsonNode> addresses, SortedMap<String, JsonNode> authorizations) {
    private static final ObjectMapper JSON = new ObjectMapper();

    public Answer {
        addresses = Collections.unmodifiableSortedMap(new TreeMap<>(addresses));
        authorizations = Collections.unmodifiableSortedMap(new TreeMap<>(authorizations));
    }

    /// Reads `{"addresses": {name: Address}, "authorizations": {name: Authorization}}`.
    public static Answer read(Path file) {
        try {
            var root = JSON.readTree(Files.readString(file));
            return new Answer(section(root, "addresses"), section(root, "authorizations"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The part whose resource names pass.
    public Answer only(Predicate<String> name) {
        return new Answer(kept(addresses, name), kept(authorizations, name));
    }

    /// One line for each missing, unexpected or differing resource; none when `actual` is the same.
    public List<String> differencesTo(Answer actual) {
        var lines = new ArrayList<String>();
        compare("address", addresses, actual.addresses, lines);
        compare("authorization", authorizations, actual.authorizations, lines);
        return lines;
    }

    private static void compare(
            String kind, Map<String, JsonNode> expected, Map<String, JsonNode> actual, List<String> lines) {
        expected.forEach((name, want) -> {
            var got = actual.get(name);
            if (got == null) {
                lines.add("%s %s: missing, expected %s".formatted(kind, name, want));
            } else {
                JsonDiff.between(want, got).forEach(line -> lines.add("%s %s: %s".formatted(kind, name, line)));
            }
        });
        actual.forEach((name, got) -> {
            if (!expected.containsKey(name)) {
                lines.add("%s %s: unexpected %s".formatted(kind, name, got));
            }
        });
    }

    private static SortedMap<String, JsonNode> section(JsonNode root, String name) {
        var result = new TreeMap<String, JsonNode>();
        root.path(name).properties().forEach(e -> result.put(e.getKey(), Normaliser.normalise(e.getValue())));
        return result;
    }

    private static SortedMap<String, JsonNode> kept(SortedMap<String, JsonNode> all, Predicate<String> name) {
        var result = new TreeMap<>(all);
        result.keySet().removeIf(name.negate());
        return result;
    }
}
