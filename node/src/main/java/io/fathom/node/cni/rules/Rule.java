// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import java.util.List;

/// A rule at the end of a chain. Conditions are in the order in which iptables gets them.
record Rule(Chain chain, List<Match> matches, Target target) {
    Rule {
        matches = List.copyOf(matches);
    }

    static Rule jump(Chain from, Chain to) {
        return new Rule(from, List.of(), new Target.Jump(to));
    }
}
