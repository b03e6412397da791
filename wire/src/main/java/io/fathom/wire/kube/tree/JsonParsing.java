// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.tree;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import io.fathom.base.lang.Problem;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Builds trees from JSON. Used once, by one thread.
final class JsonParsing {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(Integer.MAX_VALUE) // ours comes first
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build();

    /// Who set which field of an object: often half of it, and nothing that a mesh reads.
    private static final String BOOKKEEPING = "managedFields";

    private final String file;
    private final Limits limits;
    private final TreePath path = new TreePath();
    private final Position nowhere;
    private final boolean lean;
    private final Duplicates duplicates;
    private int values;

    JsonParsing(String file, Limits limits, Duplicates duplicates) {
        this(file, limits, false, duplicates);
    }

    /// @param lean leaves out what Kubernetes notes for itself, and the lines of values
    private JsonParsing(String file, Limits limits, boolean lean, Duplicates duplicates) {
        this.duplicates = duplicates;
        this.file = file;
        this.limits = limits;
        this.lean = lean;
        this.nowhere = new Position(file, 1);
    }

    static JsonParsing lean(String file, Limits limits) {
        return new JsonParsing(file, limits, true, Duplicates.BREAK);
    }

    /// The one value that is there.
    Tree object(byte[] bytes, int offset, int length) {
        try (var parser = FACTORY.createParser(bytes, offset, length)) {
            return value(parser, next(parser));
        } catch (JsonProcessingException e) {
            throw syntax(e);
        } catch (IOException e) {
            throw new AssertionError("bytes in memory cannot fail to be read", e);
        }
    }

    /// Reads an object whose member `items` is not kept: each of them is handed over as it comes.
    Tree list(InputStream in, JsonList.Items items) throws IOException {
        try (var parser = FACTORY.createParser(in)) {
            if (next(parser) != JsonToken.START_OBJECT) {
                throw misread(1, "manifest-syntax", "is no list", "check what answers");
            }
            var entries = new LinkedHashMap<String, Tree>();
            while (next(parser) != JsonToken.END_OBJECT) {
                var key = parser.currentName();
                path.enter(key);
                var token = next(parser);
                if (key.equals("items") && token == JsonToken.START_ARRAY) {
                    for (var item = next(parser); item != JsonToken.END_ARRAY; item = next(parser)) {
                        values = 0;
                        items.item(entries, value(parser, item));
                    }
                } else {
                    entries.put(key, value(parser, token));
                }
                path.leave();
            }
            return new Tree.Mapping(nowhere, entries);
        } catch (JsonProcessingException e) {
            throw syntax(e);
        }
    }

    List<Document> documents(String text) {
        var documents = new ArrayList<Document>();
        try (var parser = FACTORY.createParser(text)) {
            for (var token = parser.nextToken(); token != null; token = parser.nextToken()) {
                documents.add(new Document.Parsed(value(parser, token)));
            }
        } catch (JsonProcessingException e) {
            documents.add(new Document.Broken(syntax(e)));
        } catch (MisreadException e) {
            documents.add(new Document.Broken(e));
        } catch (IOException e) {
            throw new AssertionError("text in memory cannot fail to be read", e);
        }
        return documents;
    }

    private Tree value(JsonParser parser, JsonToken token) throws IOException {
        var at = lean ? nowhere : new Position(file, line(parser));
        if (++values > limits.values()) {
            throw misread(
                    at.line(),
                    "manifest-too-large",
                    "holds more than " + limits.values() + " values",
                    "split the document");
        }
        if (path.depth() > limits.depth()) {
            throw misread(
                    at.line(),
                    "manifest-too-deep",
                    "values are nested more than " + limits.depth() + " levels deep",
                    "check the brackets; no object of Kubernetes is that deep");
        }
        return switch (token) {
            case START_OBJECT -> mapping(parser, at);
            case START_ARRAY -> sequence(parser, at);
            case VALUE_NUMBER_INT -> scalar(at, Tree.ScalarType.INTEGER, parser);
            case VALUE_NUMBER_FLOAT -> scalar(at, Tree.ScalarType.DECIMAL, parser);
            case VALUE_TRUE, VALUE_FALSE -> scalar(at, Tree.ScalarType.FLAG, parser);
            case VALUE_NULL -> scalar(at, Tree.ScalarType.NONE, parser);
            default -> scalar(at, Tree.ScalarType.TEXT, parser);
        };
    }

    private static Tree scalar(Position at, Tree.ScalarType kind, JsonParser parser) throws IOException {
        return new Tree.Scalar(at, kind, parser.getText(), at.line());
    }

    private Tree sequence(JsonParser parser, Position at) throws IOException {
        var items = new ArrayList<Tree>();
        for (var token = next(parser); token != JsonToken.END_ARRAY; token = next(parser)) {
            path.enter(items.size());
            items.add(value(parser, token));
            path.leave();
        }
        return new Tree.Sequence(at, items);
    }

    private Tree mapping(JsonParser parser, Position at) throws IOException {
        var entries = new LinkedHashMap<String, Tree>();
        var keys = new Keys.Collector();
        while (next(parser) != JsonToken.END_OBJECT) {
            var key = parser.currentName();
            var line = lean ? 1 : line(parser);
            path.enter(key);
            var token = next(parser);
            if (lean && token == JsonToken.START_ARRAY && key.equals(BOOKKEEPING)) {
                parser.skipChildren();
                path.leave();
                continue;
            }
            var first = entries.putIfAbsent(key, value(parser, token));
            if (first == null) {
                keys.add(line);
            } else if (duplicates == Duplicates.NOTE) {
                keys.addTwice(new Keys.Twice(key, line, first.at().line()));
            } else {
                throw misread(
                        line,
                        "manifest-duplicate-key",
                        "is written twice, first on line " + first.at().line(),
                        "keep one of the two");
            }
            path.leave();
        }
        return new Tree.Mapping(at, entries, lean ? Keys.UNKNOWN : keys.keys());
    }

    private JsonToken next(JsonParser parser) throws IOException {
        @Nullable JsonToken token = parser.nextToken();
        if (token == null) {
            throw misread(line(parser), "manifest-syntax", "the JSON text ends too early", "close all brackets");
        }
        return token;
    }

    private MisreadException syntax(JsonProcessingException e) {
        var line = e.getLocation() == null ? 1 : e.getLocation().getLineNr();
        return misread(
                line,
                "manifest-syntax",
                "is not valid JSON: " + e.getOriginalMessage(),
                "check commas, quotes and brackets around this line");
    }

    private static int line(JsonParser parser) {
        return parser.currentTokenLocation().getLineNr();
    }

    private MisreadException misread(int line, String code, String message, String fix) {
        return new MisreadException(new Position(file, line), path.toString(), Problem.ofInput(code, message, fix));
    }
}
