// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fathom.model.mesh.IpPort;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class AccessLogTest {
    private static final AccessEntry ENTRY = new AccessEntry.Failed(
            Instant.EPOCH, Reporter.SOURCE, IpPort.parse("1.1.1.1:1").orElseThrow(), Optional.empty(), "x");

    /// A file descriptor that takes nothing until told.
    private static final class StuckStream extends OutputStream {
        private final CountDownLatch entered = new CountDownLatch(1);
        private final CountDownLatch open = new CountDownLatch(1);
        private final ByteArrayOutputStream taken = new ByteArrayOutputStream();

        @Override
        public void write(int b) {
            throw new AssertionError("lines are written in batches");
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            entered.countDown();
            try {
                open.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            synchronized (taken) {
                taken.write(bytes, offset, length);
            }
        }

        private long lines() {
            synchronized (taken) {
                return taken.toString(StandardCharsets.UTF_8).lines().count();
            }
        }
    }

    @Test
    void givenAWriterThatIsStuck_whenMoreLinesComeThanMayWait_thenNobodyWaitsAndTheRestIsCounted() throws Exception {
        var out = new StuckStream();
        try (var log = new AccessLog(out, AccessFormat.PLAIN)) {
            log.log(ENTRY);
            out.entered.await();
            var more = AccessLog.WAITING + 1000;
            for (int i = 0; i < more; i++) {
                log.log(ENTRY);
            }
            assertThat(log.dropped()).isEqualTo(1000);
            out.open.countDown();
            await().until(() -> out.lines() == 1 + AccessLog.WAITING);
        }
    }

    @Test
    void givenANappingWriter_whenALineComes_thenItIsWrittenSoonAndCloseWritesTheRest() {
        var out = new StuckStream();
        out.open.countDown();
        var log = new AccessLog(out, AccessFormat.PLAIN);
        log.log(ENTRY);
        await().until(() -> out.lines() == 1);
        for (int i = 0; i < 99; i++) {
            log.log(ENTRY);
        }
        log.close();
        assertThat(out.lines()).isEqualTo(100);
        assertThat(log.dropped()).isZero();
    }
}
