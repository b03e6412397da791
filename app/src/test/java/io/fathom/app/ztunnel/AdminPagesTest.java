// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.ztunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.app.http.Page;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class AdminPagesTest {
    private final LogLevelPage logging = new LogLevelPage("info");

    @AfterEach
    void reset() {
        ask(logging, Map.of("reset", ""));
    }

    @Test
    void whenALevelIsSet_thenItHoldsUntilReset() {
        assertThat(text(logging, Map.of())).isEqualTo("200 current log level is info\n");
        assertThat(text(logging, Map.of("level", "debug"))).isEqualTo("200 current log level is debug\n");
        assertThat(LoggerFactory.getLogger("io.fathom.node").isDebugEnabled()).isTrue();
        assertThat(text(logging, Map.of("reset", ""))).isEqualTo("200 current log level is info\n");
        assertThat(LoggerFactory.getLogger("io.fathom.node").isDebugEnabled()).isFalse();
    }

    @Test
    void givenNoLevel_thenUsageAndNothingChanges() {
        assertThat(text(logging, Map.of("level", "loud"))).startsWith("400 ").contains("loud", "usage");
        assertThat(text(logging, Map.of())).isEqualTo("200 current log level is info\n");
    }

    @Test
    void whenAProfileIsAskedFor_thenARecordingComes() {
        var reply = ask(new ProfilePage(), Map.of("seconds", "1", "frequency", "100"));
        assertThat(reply).isInstanceOf(Page.Reply.Binary.class);
        assertThat(((Page.Reply.Binary) reply).body()).startsWith('F', 'L', 'R', 0);
        assertThat(text(new ProfilePage(), Map.of("seconds", "301"))).startsWith("400 ");
    }

    @Test
    void whenTheHeapIsAskedFor_thenItsClassesAreListed() {
        assertThat(text(new HeapPage(), Map.of())).startsWith("200 ").contains("java.lang.String", "#instances");
    }

    @Test
    void givenTasks_thenReadyWhenAllAreDone() {
        var readiness = new Readiness();
        readiness.await("state manager");
        readiness.await("proxy");
        assertThat(text(readiness, Map.of())).isEqualTo("500 not ready, pending: proxy, state manager\n");
        readiness.done("proxy");
        readiness.done("state manager");
        assertThat(text(readiness, Map.of())).isEqualTo("200 ready\n");
        readiness.await("workload proxy manager");
        assertThat(readiness.isReady()).isFalse();
    }

    private static Page.Reply ask(Page page, Map<String, String> parameters) {
        return page.reply(new Page.Query(parameters));
    }

    private static String text(Page page, Map<String, String> parameters) {
        var reply = (Page.Reply.Text) ask(page, parameters);
        return reply.status() + " " + reply.body();
    }
}
