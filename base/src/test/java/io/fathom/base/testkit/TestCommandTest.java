// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TestCommandTest {
    private static TestCommand shell(String script) {
        return TestCommand.of(List.of("bash", "-c", script), Map.of());
    }

    @Test
    void whatItPrintedIsLeftAsItIs() {
        assertThat(shell("printf 'one\ntwo'; exit 3").run()).isEqualTo(new TestCommand.Result(3, "one\ntwo"));
    }

    @Test
    void whatItReadsIsGivenToIt() {
        assertThat(shell("cat").reading("a\nb\n").run().out()).isEqualTo("a\nb\n");
    }

    @Test
    void linesComeOneByOne_thenTheRest() {
        try (var running =
                shell("echo one; read -r; echo; echo three; printf four").begin()) {
            assertThat(running.line()).isEqualTo("one");
            assertThat(running.line()).isEmpty();
            var rest = new ArrayList<String>();
            running.forEachLine(rest::add);
            assertThat(rest).containsExactly("three", "four");
            assertThat(running.line()).isEmpty();
        }
    }

    @Test
    void givenSomethingThatKeepsItsOutputOpen_whenTheTestIsInterrupted_thenWaitingEnds() {
        try (var running = shell("echo begun; exec sleep 60").begin()) {
            assertThat(running.line()).isEqualTo("begun");
            Thread.currentThread().interrupt();
            assertThatThrownBy(running::result)
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("took too long");
            assertThat(Thread.interrupted()).isTrue();
        }
    }
}
