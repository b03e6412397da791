// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.peering;

/// What a control plane tells the agent of a fleet in its cluster.
public sealed interface FeedDown {
    /// The answer to a hello.
    record Opened(String software, String cluster) implements FeedDown {}

    /// So many messages have been taken in since the last such answer.
    record Taken(int messages) implements FeedDown {}

    /// Something that does not count; the rest of its message does.
    record Refused(String cluster, String resource, String reason) implements FeedDown {}

    /// How the gateways of other clusters are reached from here.
    record Reach(ReachChange change) implements FeedDown {}
}
