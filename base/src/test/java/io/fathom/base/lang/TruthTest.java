// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.lang;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TruthTest {
    @Test
    void givenEachSpelling_thenItIsRead() {
        for (var text : Truth.SPELLINGS) {
            var want = text.toLowerCase(Locale.ROOT).startsWith("t") || text.equals("1");
            assertThat(Truth.parse(text)).as(text).hasValue(want);
            assertThat(Truth.isTrue(text)).as(text).isEqualTo(want);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "yes", "on", "tRUE", " true", "01", "enabled"})
    void givenAnythingElse_thenItIsNeither(String text) {
        assertThat(Truth.parse(text)).isEmpty();
        assertThat(Truth.isTrue(text)).isFalse();
    }
}
