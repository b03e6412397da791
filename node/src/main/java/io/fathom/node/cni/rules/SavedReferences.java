// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import java.util.List;

/// The rules by which other chains lead into ours.
final class SavedReferences {
    private SavedReferences() {}

    /// Those in that chain, as saved.
    static List<String> to(SavedRules saved, Table table, String chain) {
        return saved.rules(table, chain).stream()
                .filter(SavedReferences::leadsToOurs)
                .toList();
    }

    static boolean leadsToOurs(String rule) {
        // the cheap question first: hosts have thousands of rules
        return rule.contains(Chain.PREFIX)
                && RuleForm.of(rule)
                        .target()
                        .filter(name -> name.startsWith(Chain.PREFIX))
                        .isPresent();
    }
}
