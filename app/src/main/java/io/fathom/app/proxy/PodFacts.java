// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.proxy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/// The labels and annotations of our pod, from the files that Kubernetes' downward API writes.
record PodFacts(Map<String, String> labels, Map<String, String> annotations) {
    PodFacts {
        labels = Map.copyOf(labels);
        annotations = Map.copyOf(annotations);
    }

    /// What is not there counts as empty.
    static PodFacts read(Path folder) {
        return new PodFacts(entries(folder.resolve("labels")), entries(folder.resolve("annotations")));
    }

    private static Map<String, String> entries(Path file) {
        try {
            return parse(Files.readString(file));
        } catch (IOException e) {
            return Map.of(); // upstream goes without, too
        }
    }

    /// Lines of `name="value"`, the value quoted as Go does it.
    static Map<String, String> parse(String text) {
        var entries = new TreeMap<String, String>();
        text.lines().forEach(line -> {
            var equals = line.indexOf('=');
            if (equals > 0) {
                entries.put(line.substring(0, equals), unquoted(line.substring(equals + 1)));
            }
        });
        return entries;
    }

    private static String unquoted(String quoted) {
        if (quoted.length() < 2 || !quoted.startsWith("\"") || !quoted.endsWith("\"")) {
            return quoted;
        }
        var text = new StringBuilder();
        var i = 1;
        while (i < quoted.length() - 1) {
            var next = quoted.charAt(i++);
            if (next != '\\' || i >= quoted.length() - 1) {
                text.append(next);
                continue;
            }
            var escape = quoted.charAt(i++);
            var digits = escape == 'x' ? 2 : escape == 'u' ? 4 : escape == 'U' ? 8 : 0;
            if (digits > 0 && i + digits <= quoted.length() - 1) {
                text.appendCodePoint(Integer.parseInt(quoted, i, i + digits, 16));
                i += digits;
            } else {
                text.append(
                        switch (escape) {
                            case 'n' -> '\n';
                            case 't' -> '\t';
                            case 'r' -> '\r';
                            default -> escape;
                        });
            }
        }
        return text.toString();
    }
}
