// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import io.fathom.model.mesh.Ip;

/// What happens to a packet that meets all conditions of a rule.
sealed interface Target {
    record Jump(Chain chain) implements Target {}

    record Accept() implements Target {}

    record Return() implements Target {}

    record Drop() implements Target {}

    /// To a port of the same machine.
    record Redirect(int port) implements Target {}

    /// Marks the connection, in the lower twelve bits.
    record MarkConnection(int mark) implements Target {}

    /// Gives the packet the mark of its connection.
    record RestoreMark() implements Target {}

    /// Tracks the connection apart from others.
    record Zone(int number) implements Target {}

    record SourceAddress(Ip address) implements Target {}
}
