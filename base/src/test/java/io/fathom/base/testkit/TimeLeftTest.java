// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimeLeftTest {
    @ParameterizedTest
    @CsvSource({"99, false", "100, true", "101, true"})
    void testsThatWouldBeginAtTheDeadlineOrLaterAreSkipped(long now, boolean skipped) {
        var clock = Clock.fixed(Instant.ofEpochSecond(now), ZoneOffset.UTC);
        var condition = new TimeLeft(Instant.ofEpochSecond(100), clock);

        assertThat(condition.verdict().isDisabled()).isEqualTo(skipped);
    }
}
