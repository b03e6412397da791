// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.dns;

import io.fathom.model.mesh.Workload;
import io.netty.channel.EventLoop;
import java.util.Optional;
import java.util.function.Consumer;

/// Finds the workload of the pod that asks.
@FunctionalInterface
public interface ClientLookup {
    /// Goes on at once if it is known, else on `loop` as soon as it is; with nothing if that takes too long, which is
    /// answered as a failure.
    void await(EventLoop loop, Consumer<Optional<Workload>> then);
}
