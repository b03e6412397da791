// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.folder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.MisreadException;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterChoiceTest {
    @ParameterizedTest
    @CsvSource({
        "1,        true,  false, false",
        "2-,       false, true,  true",
        "'1,3',    true,  false, true",
        "'1, 2-3', true,  true,  true",
        "1-2,      true,  true,  false"
    })
    void givenAChoice_thenItIsPlayedThere(String choice, boolean first, boolean second, boolean third) {
        var object = object(choice);
        assertThat(ClusterChoice.includes(object, OptionalInt.of(1))).isEqualTo(first);
        assertThat(ClusterChoice.includes(object, OptionalInt.of(2))).isEqualTo(second);
        assertThat(ClusterChoice.includes(object, OptionalInt.of(3))).isEqualTo(third);
        assertThat(ClusterChoice.includes(object, OptionalInt.empty())).isTrue();
    }

    @Test
    void givenNone_thenItIsPlayedEverywhere() {
        var object = Field.root(Json.of(Map.of("metadata", Map.of())));
        assertThat(ClusterChoice.includes(object, OptionalInt.of(7))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "all", "1,", "-2", "100"})
    void givenNonsense_thenItSaysWhatToWrite(String choice) {
        var object = object(choice);
        assertThatThrownBy(() -> ClusterChoice.includes(object, OptionalInt.of(1)))
                .isInstanceOfSatisfying(
                        MisreadException.class,
                        e -> assertThat(e.problem().code()).isEqualTo("bad-cluster-choice"));
    }

    private static Field object(String choice) {
        return Field.root(Json.of(Map.of("metadata", Map.of("annotations", Map.of(ClusterChoice.ANNOTATION, choice)))));
    }
}
