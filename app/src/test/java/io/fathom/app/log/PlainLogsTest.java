// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

class PlainLogsTest {
    private static final String OURS = "io.fathom.app.Something";
    private static final String LIBRARY = "io.netty.handler.Something";

    @AfterEach
    void reset() {
        PlainLogs.level(Level.INFO);
    }

    @Test
    void givenDebug_thenLibrariesStillSayOnlyWhatIsWrong() {
        PlainLogs.level(Level.DEBUG);
        assertThat(PlainLogs.isOn(OURS, Level.DEBUG)).isTrue();
        assertThat(PlainLogs.isOn(OURS, Level.TRACE)).isFalse();
        assertThat(PlainLogs.isOn(LIBRARY, Level.INFO)).isFalse();
        assertThat(PlainLogs.isOn(LIBRARY, Level.WARN)).isTrue();
    }

    @Test
    void givenErrorsOnly_thenAlsoOfLibraries() {
        PlainLogs.level(Level.ERROR);
        assertThat(PlainLogs.isOn(OURS, Level.WARN)).isFalse();
        assertThat(PlainLogs.isOn(LIBRARY, Level.WARN)).isFalse();
        assertThat(PlainLogs.isOn(LIBRARY, Level.ERROR)).isTrue();
    }

    @Test
    void givenOff_thenNothingIsLogged() {
        PlainLogs.off();
        assertThat(PlainLogs.isOn(OURS, Level.ERROR)).isFalse();
        assertThat(PlainLogs.isOn(LIBRARY, Level.ERROR)).isFalse();
    }
}
