// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.tree;

import java.util.ArrayList;
import java.util.List;

/// Splits a text into its documents and parses each on its own, so that a mistake in one spoils only that one.
public final class Documents {
    private Documents() {}

    /// The documents of a YAML text, without the empty ones. A name that stands twice in a map breaks its document.
    public static List<Document> ofYaml(String file, String text, Limits limits) {
        return ofYaml(file, text, limits, Duplicates.BREAK);
    }

    /// The documents of a YAML text, without the empty ones.
    public static List<Document> ofYaml(String file, String text, Limits limits, Duplicates duplicates) {
        var documents = new ArrayList<Document>();
        var start = 0;
        var startLine = 1;
        var line = 1;
        for (var position = 0; position < text.length(); line++) {
            var next = endOfLine(text, position);
            if (isMark("---", text, position)) {
                addYaml(documents, file, text.substring(start, position), startLine, limits, duplicates);
                start = position;
                startLine = line;
            } else if (isMark("...", text, position)) {
                addYaml(documents, file, text.substring(start, position), startLine, limits, duplicates);
                start = next; // the end mark itself belongs to no document
                startLine = line + 1;
            }
            position = next;
        }
        addYaml(documents, file, text.substring(start), startLine, limits, duplicates);
        return documents;
    }

    /// The documents of a JSON text: one value after the other. The first mistake ends it.
    public static List<Document> ofJson(String file, String text, Limits limits) {
        return ofJson(file, text, limits, Duplicates.BREAK);
    }

    /// The documents of a JSON text: one value after the other. The first mistake ends it.
    public static List<Document> ofJson(String file, String text, Limits limits, Duplicates duplicates) {
        return new JsonParsing(file, limits, duplicates).documents(text);
    }

    private static void addYaml(
            List<Document> documents, String file, String text, int firstLine, Limits limits, Duplicates duplicates) {
        if (isEmpty(text)) {
            return;
        }
        try {
            new YamlParsing(file, firstLine, limits, duplicates)
                    .parse(text)
                    .ifPresent(root -> documents.add(new Document.Parsed(root)));
        } catch (MisreadException e) {
            documents.add(new Document.Broken(e));
        }
    }

    private static boolean isMark(String mark, String text, int position) {
        var end = position + mark.length();
        return text.startsWith(mark, position) && (end == text.length() || Character.isWhitespace(text.charAt(end)));
    }

    private static int endOfLine(String text, int position) {
        var end = text.indexOf('\n', position);
        return end < 0 ? text.length() : end + 1;
    }

    /// Whether there are only comments, directives and separators.
    private static boolean isEmpty(String text) {
        return text.lines()
                .allMatch(line -> line.isBlank()
                        || line.startsWith("%")
                        || line.stripLeading().startsWith("#")
                        || line.stripTrailing().equals("---"));
    }
}
