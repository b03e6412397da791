// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.inpod;

import java.util.concurrent.CompletableFuture;

/// What serves one pod. For any thread.
public interface PodProxy extends AutoCloseable {
    /// Takes no more connections and lets those that are there end by themselves. Done when the last has ended.
    CompletableFuture<Void> drain();

    /// Cuts all connections at once and frees the ports before it returns. May be called more than once.
    @Override
    void close();
}
