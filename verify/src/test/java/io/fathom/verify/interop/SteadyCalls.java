// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import io.fathom.verify.lab.LabPod;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/// A client that opens one connection after the other and counts those that fail.
final class SteadyCalls implements AutoCloseable {
    private final LabPod client;
    private final String url;
    private final AtomicInteger made = new AtomicInteger();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final Thread thread = Thread.ofPlatform().daemon().unstarted(this::run);
    private volatile boolean stopped;

    SteadyCalls(LabPod client, String url) {
        this.client = client;
        this.url = url;
        thread.start();
    }

    int made() {
        return made.get();
    }

    List<String> failures() {
        return List.copyOf(failures);
    }

    private void run() {
        while (!stopped) {
            try {
                var _ = client.namespace().run("curl", "-sS", "--max-time", "5", url);
            } catch (IllegalStateException e) {
                failures.add(String.valueOf(e.getMessage()));
            }
            made.incrementAndGet();
        }
    }

    @Override
    public void close() {
        stopped = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
