// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class DocumentsTest {
    @Test
    void givenSeveralDocuments_thenEachKnowsItsLines() {
        var documents = yaml("""
                # a comment
                a: 1
                ---
                # only a comment
                ---
                - x
                - y: [1, 2]
                ...
                --- {b: 2}
                """);

        assertThat(documents).hasSize(3);
        assertThat(root(documents.get(0)).at("a").position()).isEqualTo(new Position("f.yaml", 2));
        var item = root(documents.get(1)).items().get(1).at("y").items().get(1);
        assertThat(item.position().line()).isEqualTo(7);
        assertThat(item.path()).isEqualTo("[1].y[1]");
        assertThat(root(documents.get(2)).at("b").position().line()).isEqualTo(9);
    }

    @Test
    void givenWindowsLineEndsAndDirectives_thenDocumentsAreFound() {
        var documents = yaml("%YAML 1.1\r\n---\r\na: 1\r\n---\r\nb: 2\r\n");

        assertThat(documents).hasSize(2);
        assertThat(root(documents.get(1)).at("b").position().line()).isEqualTo(5);
    }

    @Test
    void givenSeparatorInsideText_thenItIsNone() {
        var documents = yaml("""
                a: |
                  x
                  ---
                  y
                b: ---x
                """);

        assertThat(documents).hasSize(1);
        assertThat(root(documents.getFirst()).at("a").text()).isEqualTo("x\n---\ny\n");
    }

    @Test
    void givenSyntaxErrorInOne_thenOthersAreParsed() {
        var documents = yaml("a: 1\n---\nb: [1\nc: 2\n---\nd: 3\n");

        assertThat(documents).hasSize(3);
        assertThat(broken(documents.get(1)).at().line()).isBetween(3, 4);
        assertThat(root(documents.get(2)).at("d").integer(0, 9)).hasValue(3);
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '`', textBlock = """
                    80, INTEGER
                    -1, INTEGER
                    0x1F, INTEGER
                    010, INTEGER
                    1_000, INTEGER
                    1.10, DECIMAL
                    1e3, DECIMAL
                    .5, DECIMAL
                    '1', TEXT
                    "true", TEXT
                    v1, TEXT
                    1.2.3, TEXT
                    10.0.0.1, TEXT
                    2026-01-31T12:00:00Z, TEXT
                    --, TEXT
                    true, FLAG
                    yes, FLAG
                    Off, FLAG
                    n, TEXT
                    none, TEXT
                    ~, NONE
                    null, NONE
                    !!str 5, TEXT
                    """)
    void givenScalar_thenItMeansWhatKubernetesTakesItFor(String text, Tree.ScalarType kind) {
        var tree = (Tree.Sequence) ((Document.Parsed) yaml("- " + text).getFirst()).root();

        assertThat(((Tree.Scalar) tree.items().getFirst()).kind()).isEqualTo(kind);
    }

    @Test
    void givenIntegersOfSeveralBases_thenTheyAreRead() {
        var root = root(yaml("[0x1F, 010, 0b11, 0o17, 1_000, -5, +5]").getFirst());

        assertThat(root.items().stream()
                        .map(field -> field.integer(-9, 9999).getAsInt())
                        .toList())
                .containsExactly(31, 8, 3, 15, 1000, -5, 5);
    }

    @Test
    void givenAliasesAndMergeKeys_thenTheyAreApplied() {
        var root = root(yaml("""
                base: &base {app: web, tier: front}
                labels:
                  <<: *base
                  tier: back
                copy: *base
                list: {<<: [{a: x}, {a: y, b: z}]}
                """).getFirst());

        assertThat(root.at("labels").textMap()).isEqualTo(Map.of("app", "web", "tier", "back"));
        assertThat(root.at("copy").textMap()).isEqualTo(Map.of("app", "web", "tier", "front"));
        assertThat(root.at("list").textMap()).isEqualTo(Map.of("a", "x", "b", "z"));
    }

    static Stream<Arguments> mistakes() {
        var bomb = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for (var i = 1; i < 10; i++) {
            bomb.append("a%d: &a%d [%s]\n".formatted(i, i, ("*a" + (i - 1) + ", ").repeat(10)));
        }
        return Stream.of(
                argumentSet("tab", "a:\n\tb: 1", 2, "a", "manifest-syntax", "tab"),
                argumentSet("unclosed quote", "a: 1\nb: \"x\nc: 2\n", 2, "b", "manifest-syntax", "never closed"),
                argumentSet("unclosed bracket", "a: [1, 2\nb: 3", 1, "a", "manifest-syntax", "bracket"),
                argumentSet("colon in text", "a: b: c", 1, "", "manifest-syntax", "not valid YAML"),
                argumentSet("twice", "a: 1\nb:\n  c: 1\n  c: 2", 4, "b.c", "manifest-duplicate-key", "line 3"),
                argumentSet("bomb", bomb.toString(), 7, "a6[0]", "manifest-too-large", "aliases"),
                argumentSet("alias of itself", "a: &a [*a]", 1, "a[0]", "manifest-syntax", "*a"),
                argumentSet("deep", "[".repeat(200) + "]".repeat(200), 1, "", "manifest-too-deep", "100"),
                argumentSet("template", "a: {{ .Values.x }}", 1, "a", "manifest-syntax", "name of a field"),
                argumentSet("control character", "a: 1\nb: \u0007", 2, "", "manifest-syntax", "U+0007"),
                argumentSet("merge of text", "a: {<<: x}", 1, "a", "manifest-syntax", "merges only maps"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void givenMistake_thenItIsLocated(String text, int line, String field, String code, String words) {
        var documents = yaml(text);

        assertThat(documents).hasSize(1);
        var cause = broken(documents.getFirst());
        assertThat(cause.problem().code()).isEqualTo(code);
        assertThat(cause.problem().message()).contains(words);
        assertThat(cause.problem().fix()).isNotEmpty();
        assertThat(cause.at().line()).isEqualTo(line);
        assertThat(cause.field()).startsWith(field);
    }

    @Test
    void givenJson_thenItIsReadWithLines() {
        var documents = Documents.ofJson("f.json", """
                {
                \t"a": {"b": [1, true, null, "x\\u0041", 1.5]},
                \t"c": "1"
                }
                {"d": 1}
                """, Limits.DEFAULT);

        assertThat(documents).hasSize(2);
        var root = root(documents.getFirst());
        assertThat(root.at("c").position().line()).isEqualTo(3);
        var items = root.at("a").at("b").items();
        assertThat(items.get(0).integer(0, 9)).hasValue(1);
        assertThat(items.get(1).flag()).isTrue();
        assertThat(items.get(2).isPresent()).isFalse();
        assertThat(items.get(3).text()).isEqualTo("xA");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    {"a": 1, "a": 2} | manifest-duplicate-key
                    {"a": [1, 2      | manifest-syntax
                    {"a": 1,}        | manifest-syntax
                    {a: 1}           | manifest-syntax
                    """)
    void givenBrokenJson_thenItIsLocated(String text, String code) {
        var documents = Documents.ofJson("f.json", text, Limits.DEFAULT);

        assertThat(broken(documents.getLast()).problem().code()).isEqualTo(code);
        assertThat(broken(documents.getLast()).at().line()).isEqualTo(1);
    }

    @Test
    void givenWrongType_thenMessageSaysWhatStandsThereAndWhatToWrite() {
        var root = root(yaml("port: 8080\nlist: [a]\nname: \"\"").getFirst());

        assertThatThrownBy(() -> root.at("port").text())
                .hasMessage("f.yaml:1: port: is the number 8080, must be text (fix: put it in quotes: \"8080\")");
        assertThatThrownBy(() -> root.at("list").at("x")).hasMessageContaining("is a list, must be a map");
        assertThatThrownBy(() -> root.at("port").integer(1, 80)).hasMessageContaining("is 8080, must be from 1 to 80");
        assertThatThrownBy(() -> root.at("name").requiredText()).hasMessageContaining("name: is empty");
        assertThatThrownBy(() -> root.at("absent").at("deep").requiredText())
                .hasMessageContaining("absent.deep: is missing");
    }

    private static List<Document> yaml(String text) {
        return Documents.ofYaml("f.yaml", text, Limits.DEFAULT);
    }

    private static Field root(Document document) {
        return Field.root(((Document.Parsed) document).root());
    }

    private static MisreadException broken(Document document) {
        return ((Document.Broken) document).cause();
    }
}
