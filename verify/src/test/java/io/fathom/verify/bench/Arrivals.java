// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.bench;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Tells when something that was waited for came through a stream. One expectation at a time.
final class Arrivals implements AutoCloseable {
    private final CountDownLatch complete = new CountDownLatch(1);
    private final RawStream stream;
    private volatile byte[] wanted = {};
    private volatile CompletableFuture<Long> arrival = new CompletableFuture<>();

    private Arrivals(int port, int resources) {
        var seen = new int[1]; // one thread of gRPC at a time
        this.stream = RawStream.open(port, 1, (response, count) -> {
            seen[0] += count;
            if (seen[0] >= resources) {
                complete.countDown();
            }
            var pattern = wanted;
            if (pattern.length > 0 && contains(response, pattern)) {
                arrival.complete(System.nanoTime());
            }
        });
    }

    /// Returns when the client has everything.
    static Arrivals open(int port, int resources) throws InterruptedException {
        var arrivals = new Arrivals(port, resources);
        if (!arrivals.complete.await(5, TimeUnit.MINUTES)) {
            throw new IllegalStateException("a client did not get everything");
        }
        return arrivals;
    }

    /// A workload with that address.
    void expect(byte[] address) {
        var field = new byte[address.length + 2];
        field[0] = 3 << 3 | 2; // addresses of a workload
        field[1] = (byte) address.length;
        System.arraycopy(address, 0, field, 2, address.length);
        expectBytes(field);
    }

    /// Something that has this text in it.
    void expect(String text) {
        expectBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    private void expectBytes(byte[] pattern) {
        arrival = new CompletableFuture<>();
        wanted = pattern;
    }

    /// How many resources came so far.
    long resources() {
        return stream.resources();
    }

    /// When it came, in the time of [System#nanoTime()].
    long await(Duration patience) throws Exception {
        return arrival.get(patience.toSeconds(), TimeUnit.SECONDS);
    }

    private static boolean contains(byte[] text, byte[] pattern) {
        for (var i = 0; i <= text.length - pattern.length; i++) {
            var j = 0;
            while (j < pattern.length && text[i + j] == pattern[j]) {
                j++;
            }
            if (j == pattern.length) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void close() {
        stream.close();
    }
}
