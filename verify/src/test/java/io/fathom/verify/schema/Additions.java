// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.schema;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// What upstream's documents do not tell: `verify/schema/additions.txt`.
final class Additions {
    private static final Pattern NAME = Pattern.compile("Name: +\"([a-z.-]*(?:istio|fathom)\\.io/[^\"]+)\"");

    private final Set<String> required = new HashSet<>();
    private final Map<String, String> values = new HashMap<>();
    private final SortedMap<String, String> marks = new TreeMap<>();

    static Additions read(Path file) throws IOException {
        var additions = new Additions();
        for (var line : Files.readAllLines(file)) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            var words = line.split(" ", 3);
            switch (words[0]) {
                case "required" -> additions.required.add(words[1]);
                case "value" -> additions.values.put(words[1], words[2]);
                case "label", "annotation" ->
                    additions.marks.put(words[0] + " " + words[1], words.length > 2 ? words[2] : "");
                default -> throw new IllegalStateException("what is " + line);
            }
        }
        return additions;
    }

    boolean isRequired(String type, String property) {
        return required.contains(type + "." + property);
    }

    Optional<String> value(String type, String property) {
        return Optional.ofNullable(values.get(type + "." + property));
    }

    /// Adds the names in a list of upstream.
    void learn(String kind, String source) {
        NAME.matcher(source).results().forEach(name -> marks.putIfAbsent(kind + " " + name.group(1), ""));
    }

    /// `label name values` and `annotation name values`.
    List<String> marks() {
        return marks.entrySet().stream()
                .map(mark -> (mark.getKey() + " " + mark.getValue()).strip())
                .toList();
    }
}
