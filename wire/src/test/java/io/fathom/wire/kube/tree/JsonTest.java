// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
    @Test
    void whenPrinted_thenSortedAndIndented() {
        var tree = Json.parse(
                "t", "{\"b\":[1,{\"z\":1.50,\"a\":\"x\\\"\\n\\u0001é\"}],\"a\":{},\"c\":[],\"d\":null,\"e\":true}");
        assertThat(Json.pretty(tree)).isEqualTo("""
                {
                  "a": {},
                  "b": [
                    1,
                    {
                      "a": "x\\"\\n\\u0001é",
                      "z": 1.50
                    }
                  ],
                  "c": [],
                  "d": null,
                  "e": true
                }
                """);
    }

    @Test
    void whenCompact_thenOnOneLineInItsOwnOrder() {
        var text = "{\"b\":[1,{\"z\":1e9,\"a\":\"x\"}],\"a\":{},\"c\":[],\"d\":null,\"e\":12345678901234567890}";
        assertThat(Json.compact(Json.parse("t", text))).isEqualTo(text);
    }

    @Test
    void whenMadeOfValues_thenATree() {
        var tree = Json.of(Map.of("a", List.of("x", 1, 2L, 0.5, true, Json.NOTHING)));
        assertThat(Json.compact(tree)).isEqualTo("{\"a\":[\"x\",1,2,0.5,true,null]}");
        assertThatThrownBy(() -> Json.of(new Object())).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{} {}", "{", "{\"a\":1,\"a\":2}", "nonsense", "[1,]"})
    void givenNotOneValue_thenItIsRefused(String text) {
        assertThatThrownBy(() -> Json.parse("t", text)).isInstanceOf(MisreadException.class);
    }
}
