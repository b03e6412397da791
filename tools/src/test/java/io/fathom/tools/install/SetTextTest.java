// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.tree.Json;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SetTextTest {
    static Stream<Arguments> good() {
        return Stream.of(
                argumentSet("text", "hub=localhost", "{\"hub\":\"localhost\"}"),
                argumentSet("a whole number", "a.b=3", "{\"a\":{\"b\":3}}"),
                argumentSet("a version stays text", "tag=1.2", "{\"tag\":\"1.2\"}"),
                argumentSet("true", "a=true", "{\"a\":true}"),
                argumentSet("a list", "a={x,2}", "{\"a\":[\"x\",2]}"),
                argumentSet("an empty list", "a={}", "{\"a\":[]}"),
                argumentSet("an equals sign in the value", "a=b=c", "{\"a\":\"b=c\"}"),
                argumentSet("a dot in a name", "a.b\\.c/d=e", "{\"a\":{\"b.c/d\":\"e\"}}"),
                argumentSet("nothing", "a=", "{\"a\":\"\"}"));
    }

    @ParameterizedTest
    @MethodSource("good")
    void whenWritten_thenReadAs(String text, String want) {
        assertThat(Json.compact(SetText.parse(text))).isEqualTo(want);
    }

    static Stream<Arguments> bad() {
        return Stream.of(
                argumentSet("no value", "a", "write PATH=VALUE"),
                argumentSet("no name", "=b", "write PATH=VALUE"),
                argumentSet("two dots", "a..b=c", "one dot between"),
                argumentSet("a place in a list", "a[0]=b", "write the whole list"));
    }

    @ParameterizedTest
    @MethodSource("bad")
    void whenWrong_thenRefusedWithAFix(String text, String fix) {
        assertThatThrownBy(() -> SetText.parse(text))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problem().fix()).contains(fix));
    }
}
