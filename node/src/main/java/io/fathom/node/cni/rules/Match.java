// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import io.fathom.model.mesh.Ip;

/// One condition of a rule.
sealed interface Match {
    /// Whether a value has to be equal, or anything else.
    enum Sense {
        IS,
        IS_NOT
    }

    enum RuleTransport {
        TCP("tcp"),
        UDP("udp");

        private final String word;

        RuleTransport(String word) {
            this.word = word;
        }

        String word() {
            return word;
        }
    }

    enum Side {
        SOURCE,
        DESTINATION
    }

    record From(Ip address) implements Match {}

    record To(Sense sense, Ip address) implements Match {}

    record Enters(String link) implements Match {}

    record Leaves(Sense sense, String link) implements Match {}

    record Uses(RuleTransport transport) implements Match {}

    /// Names the module that knows about ports. Matches everything: it is how iptables wants to be told.
    record WithPorts(RuleTransport transport) implements Match {}

    /// The rule must also have [Uses].
    record Port(Side side, Sense sense, RuleTransport transport, int number) implements Match {}

    /// The mark of the packet, in its lower twelve bits.
    record Marked(Sense sense, int mark) implements Match {}

    /// The mark of the connection that the packet belongs to, in its lower twelve bits.
    record ConnectionMarked(int mark) implements Match {}

    /// Made by a socket of this machine rather than forwarded; nftables asks for a socket of that user.
    record FromSocket(int uid) implements Match {}

    record ToSet(Ip.Family family, String name) implements Match {}
}
