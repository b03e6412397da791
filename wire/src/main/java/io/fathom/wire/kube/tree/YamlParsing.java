// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.tree;

import io.fathom.base.lang.Problem;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.parser.Parser;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/// Builds the tree of one YAML document from parser events, within limits. Used once, by one thread.
///
/// Aliases share the anchored tree and merge keys (`<<`) are applied, as Kubernetes tools do.
final class YamlParsing {
    private static final LoadSettings SETTINGS = LoadSettings.builder()
            .setUseMarks(true)
            .setCodePointLimit(Integer.MAX_VALUE)
            .build();

    /// An anchored value and how many values it stands for.
    private record Anchored(Tree tree, long weight) {}

    private final String file;
    private final int firstLine;
    private final Limits limits;
    private final Duplicates duplicates;
    private final TreePath path = new TreePath();
    private final Map<String, Anchored> anchors = new HashMap<>();
    private long values;

    YamlParsing(String file, int firstLine, Limits limits, Duplicates duplicates) {
        this.duplicates = duplicates;
        this.file = file;
        this.firstLine = firstLine;
        this.limits = limits;
    }

    /// Empty when the document holds nothing.
    Optional<Tree> parse(String text) {
        try {
            Parser parser = new ParserImpl(SETTINGS, new StreamReader(SETTINGS, text));
            parser.next(); // start of the stream
            if (parser.checkEvent(Event.ID.StreamEnd)) {
                return Optional.empty();
            }
            parser.next(); // start of the document
            var root = value(parser);
            parser.next(); // end of the document
            if (!parser.checkEvent(Event.ID.StreamEnd)) {
                throw misread(
                        line(parser.peekEvent()),
                        "manifest-syntax",
                        "a second document begins",
                        "separate documents with a line ---");
            }
            return root instanceof Tree.Scalar scalar && scalar.kind() == Tree.ScalarType.NONE
                    ? Optional.empty()
                    : Optional.of(root);
        } catch (ReaderException e) {
            var line = firstLine
                    + (int) text.codePoints()
                            .limit(e.getPosition())
                            .filter(c -> c == '\n')
                            .count();
            throw misread(
                    line,
                    "manifest-syntax",
                    "holds the control character U+%04X".formatted(e.getCodePoint()),
                    "delete it; write manifests as plain UTF-8 text");
        } catch (MarkedYamlEngineException e) {
            throw YamlMistake.of(e, file, firstLine, path.toString());
        } catch (YamlEngineException e) {
            throw misread(
                    firstLine,
                    "manifest-syntax",
                    "is not valid YAML: " + e.getMessage(),
                    "check this document with a YAML linter");
        }
    }

    private Tree value(Parser parser) {
        var event = parser.next();
        if (event instanceof AliasEvent alias) {
            return aliased(alias);
        }
        var before = values;
        count(event, 1);
        if (path.depth() > limits.depth()) {
            throw misread(
                    line(event),
                    "manifest-too-deep",
                    "values are nested more than " + limits.depth() + " levels deep",
                    "check the indentation; no object of Kubernetes is that deep");
        }
        var anchor = ((NodeEvent) event).getAnchor().map(Object::toString);
        anchor.ifPresent(anchors::remove); // an alias inside its own anchor has nothing to stand for
        var tree = switch (event.getEventId()) {
            case SequenceStart -> sequence(parser, at(event));
            case MappingStart -> mapping(parser, at(event));
            default -> scalar((ScalarEvent) event);
        };
        anchor.ifPresent(name -> anchors.put(name, new Anchored(tree, values - before)));
        return tree;
    }

    private Tree aliased(AliasEvent alias) {
        var anchored = anchors.get(alias.getAlias().toString());
        if (anchored == null) {
            throw misread(
                    line(alias),
                    "manifest-syntax",
                    "alias *" + alias.getAlias() + " names no anchor before it",
                    "define &" + alias.getAlias() + " earlier in the same document, or write the value out");
        }
        count(alias, anchored.weight());
        return anchored.tree();
    }

    private void count(Event event, long weight) {
        values += weight;
        if (values > limits.values()) {
            throw misread(
                    line(event),
                    "manifest-too-large",
                    "holds more than " + limits.values() + " values once its aliases are expanded",
                    "write repeated parts out, or split the document");
        }
    }

    private Tree sequence(Parser parser, Position at) {
        var items = new ArrayList<Tree>();
        while (!parser.checkEvent(Event.ID.SequenceEnd)) {
            path.enter(items.size());
            items.add(value(parser));
            path.leave();
        }
        parser.next();
        return new Tree.Sequence(at, items);
    }

    private Tree mapping(Parser parser, Position at) {
        var entries = new LinkedHashMap<String, Tree>();
        var keys = new Keys.Collector();
        var merged = new ArrayList<Tree>();
        while (!parser.checkEvent(Event.ID.MappingEnd)) {
            var keyLine = line(parser.peekEvent());
            var key = key(value(parser));
            path.enter(key);
            var value = value(parser);
            if (key.equals("<<")) {
                merged.add(value);
            } else {
                var first = entries.putIfAbsent(key, value);
                if (first == null) {
                    keys.add(keyLine);
                } else if (duplicates == Duplicates.NOTE) {
                    keys.addTwice(new Keys.Twice(key, keyLine, first.at().line()));
                } else {
                    throw misread(
                            keyLine,
                            "manifest-duplicate-key",
                            "is written twice, first on line " + first.at().line(),
                            "keep one of the two");
                }
            }
            path.leave();
        }
        parser.next();
        merged.forEach(value -> merge(entries, value));
        return new Tree.Mapping(at, entries, keys.keys());
    }

    private String key(Tree key) {
        if (key instanceof Tree.Scalar scalar && scalar.kind() != Tree.ScalarType.NONE) {
            return scalar.text();
        }
        throw misread(
                key.at().line(),
                "manifest-syntax",
                key.describe() + " stands where the name of a field must be",
                "write `name: value`; render templates ({{ ... }}) before putting them here");
    }

    /// Written entries win over merged ones, earlier merged ones over later.
    private void merge(Map<String, Tree> entries, Tree value) {
        switch (value) {
            case Tree.Mapping mapping -> mapping.entries().forEach(entries::putIfAbsent);
            case Tree.Sequence sequence
            when sequence.items().stream().allMatch(Tree.Mapping.class::isInstance) ->
                sequence.items().forEach(item -> merge(entries, item));
            default ->
                throw misread(
                        value.at().line(),
                        "manifest-syntax",
                        "<< merges only maps, not " + value.describe(),
                        "name an anchored map, or write the fields out");
        }
    }

    private Tree scalar(ScalarEvent event) {
        var at = at(event);
        var kind = kindOf(event);
        return new Tree.Scalar(at, kind, event.getValue(), event.isLiteral() ? at.line() + 1 : at.line());
    }

    private static Tree.ScalarType kindOf(ScalarEvent event) {
        var tag = event.getTag().orElse("");
        return switch (tag) {
            case "" -> event.isPlain() ? PlainScalar.kindOf(event.getValue()) : Tree.ScalarType.TEXT;
            case "tag:yaml.org,2002:int",
                    "tag:yaml.org,2002:float",
                    "tag:yaml.org,2002:bool",
                    "tag:yaml.org,2002:null" -> PlainScalar.kindOf(event.getValue());
            default -> Tree.ScalarType.TEXT;
        };
    }

    private Position at(Event event) {
        return new Position(file, line(event));
    }

    private int line(Event event) {
        var mark = event.getStartMark();
        return mark.isPresent() ? firstLine + mark.get().getLine() : firstLine;
    }

    private MisreadException misread(int line, String code, String message, String fix) {
        return new MisreadException(new Position(file, line), path.toString(), Problem.ofInput(code, message, fix));
    }
}
