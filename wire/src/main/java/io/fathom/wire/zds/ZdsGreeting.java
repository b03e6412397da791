// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.zds;

/// What a proxy says of itself.
///
/// @param version of the protocol
public record ZdsGreeting(int version, ListenerUse listeners) {
    /// What a proxy can do with listening sockets of pods. Others than ours know only their own.
    public enum ListenerUse {
        OWN,
        HANDED_OVER
    }
}
