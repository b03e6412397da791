// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.lang;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationTextTest {
    @ParameterizedTest
    @CsvSource({"24h,PT24H", "1h30m,PT1H30M", "500ms,PT0.5S", "5m,PT5M", "2d,PT48H", "0s,PT0S"})
    void givenATime_thenItIsRead(String text, Duration want) {
        assertThat(DurationText.parse(text)).hasValue(want);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "5", "h", "-1s", "1.5h", "1w", "5 m", "9999999999s"})
    void givenAnythingElse_thenItIsNone(String text) {
        assertThat(DurationText.parse(text)).isEmpty();
    }
}
