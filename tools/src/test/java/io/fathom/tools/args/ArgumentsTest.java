// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.args;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class ArgumentsTest {
    private static final Flag NAME = Flag.of("--name", "TEXT", "Its name.").orShort("-n");
    private static final Flag LOUD = Flag.toggle("--loud", "Shout.");

    @Test
    void givenAllForms_thenTheyMeanTheSame() {
        for (var args : List.of(List.of("--name", "x"), List.of("--name=x"), List.of("-n", "x"), List.of("-n=x"))) {
            assertThat(parse(args.toArray(String[]::new)).value(NAME)).hasValue("x");
        }
    }

    @Test
    void givenOperandsBetweenFlags_thenTheyKeepTheirOrder() {
        var parsed = parse("a", "--loud", "b", "--", "--name", "-");

        assertThat(parsed.operands()).containsExactly("a", "b", "--name", "-");
        assertThat(parsed.has(LOUD)).isTrue();
        assertThat(parsed.has(NAME)).isFalse();
    }

    @Test
    void givenAFlagTwice_thenTheLastCounts() {
        assertThat(parse("--name", "x", "-n", "y").value(NAME)).hasValue("y");
        assertThat(parse("--name", "x", "-n", "y").all(NAME)).containsExactly("x", "y");
    }

    @Test
    void givenValuesThatLookOdd_thenTheyAreValues() {
        assertThat(parse("--name=").value(NAME)).hasValue("");
        assertThat(parse("--name", "a=b").value(NAME)).hasValue("a=b");
        assertThat(parse("--name", "-1").value(NAME)).hasValue("-1");
    }

    @Test
    void givenAnUnknownFlag_thenWhatWasProbablyMeant() {
        assertThatThrownBy(() -> parse("--nmae", "x"))
                .hasMessageContaining("--nmae")
                .hasMessageContaining("did you mean --name?");
        assertThatThrownBy(() -> parse("--quite-different")).hasMessageContaining("see --help");
    }

    @Test
    void givenAMissingOrNeedlessValue_thenSaysSo() {
        assertThatThrownBy(() -> parse("--name")).hasMessageContaining("--name needs a value");
        assertThatThrownBy(() -> parse("--name", "--loud")).hasMessageContaining("--name needs a value");
        assertThatThrownBy(() -> parse("--loud=very")).hasMessageContaining("--loud takes no value");
    }

    @Test
    void whenHelpIsWritten_thenColumnsLineUp() {
        var flag =
                Flag.of("--a-flag-with-a-long-name", "VALUE", "word ".repeat(30).strip());

        assertThat(new HelpText().flags(List.of(NAME, flag)).toString()).isEqualTo("""
                  -n, --name TEXT           Its name.
                      --a-flag-with-a-long-name VALUE
                %s%s
                %s%s
                """.formatted(
                        " ".repeat(28),
                        "word ".repeat(16).strip(),
                        " ".repeat(28),
                        "word ".repeat(14).strip()));
    }

    private static Arguments parse(String... args) {
        return Arguments.parse(List.of(NAME, LOUD), args);
    }
}
