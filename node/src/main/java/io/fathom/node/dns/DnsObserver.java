// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.dns;

import io.fathom.model.mesh.Workload;
import java.time.Duration;
import java.util.Optional;

/// Hears of requests, on the event loop: count, and return.
public interface DnsObserver {
    /// Hears nothing.
    DnsObserver NONE = new DnsObserver() {};

    /// What a request is counted by.
    ///
    /// @param type see [DnsQuestion#typeName]
    /// @param client empty if it is not known
    record Labels(String type, Transport transport, Optional<Workload> client) {}

    default void request(Labels labels) {}

    /// A name server has answered.
    default void forwarded(Labels labels, Duration took) {}

    /// No name server had an answer.
    default void forwardFailed(Labels labels, Duration took) {}
}
