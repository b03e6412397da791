package io.fathom.wire.kube.tree;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import io.fathom.base.lang.Problem;
import java.io.IOException;
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

    private final String file;
    private final Limits limits;
    private final TreePath path = new TreePath();
    private int values;

    JsonParsing(String file, Limits limits) {
        this.file = file;
        this.limits = limits;
    }

    List<Document> documents(String text) {
        var documents = new ArrayList<Document>();
        try (var parser = FACTORY.createParser(text)) {
            for (var token = parser.nextToken(); token != null; token = parser.nextToken()) {
                documents.add(new Document.Parsed(value(parser, token)));
            }
        } catch (JsonProcessingException e) {
            var line = e.getLocation() == null ? 1 : e.getLocation().getLineNr();
            documents.add(new Document.Broken(misread(
                    line,
                    "manifest-syntax",
                    "is not valid JSON: " + e.getOriginalMessage(),
                    "check commas, quotes and brackets around this line")));
        } catch (MisreadException e) {
            documents.add(new Document.Broken(e));
        } catch (IOException e) {
            throw new AssertionError("text in memory cannot fail to be read", e);
        }
        return documents;
    }

    private Tree value(JsonParser parser, JsonToken token) throws IOException {
        var at = new Position(file, line(parser));
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
            case VALUE_NUMBER_INT -> scalar(at, Tree.Kind.INTEGER, parser);
            case VALUE_NUMBER_FLOAT -> scalar(at, Tree.Kind.DECIMAL, parser);
            case VALUE_TRUE, VALUE_FALSE -> scalar(at, Tree.Kind.FLAG, parser);
            case VALUE_NULL -> scalar(at, Tree.Kind.NONE, parser);
            default -> scalar(at, Tree.Kind.TEXT, parser);
        };
    }

    private static Tree scalar(Position at, Tree.Kind kind, JsonParser parser) throws IOException {
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
        while (next(parser) != JsonToken.END_OBJECT) {
            var key = parser.currentName();
            var line = line(parser);
            path.enter(key);
            var first = entries.putIfAbsent(key, value(parser, next(parser)));
            if (first != null) {
                throw misread(
                        line,
                        "manifest-duplicate-key",
                        "is written twice, first on line " + first.at().line(),
                        "keep one of the two");
            }
            path.leave();
        }
        return new Tree.Mapping(at, entries);
    }

    private JsonToken next(JsonParser parser) throws IOException {
        @Nullable JsonToken token = parser.nextToken();
        if (token == null) {
            throw misread(line(parser), "manifest-syntax", "the JSON text ends too early", "close all brackets");
        }
        return token;
    }

    private static int line(JsonParser parser) {
        return parser.currentTokenLocation().getLineNr();
    }

    private MisreadException misread(int line, String code, String message, String fix) {
        return new MisreadException(new Position(file, line), path.toString(), Problem.ofInput(code, message, fix));
    }
}
