// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

import io.fathom.control.ca.vault.VaultState.Former;
import io.fathom.wire.pki.SigningMaterial;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;

/// What was signed with before this process began, and is signed with until its successor is there. Whatever was
/// trusted stays so meanwhile.
///
/// @param material the root of its chain first among the roots
/// @param otherRoots what else clients were told to trust
public record Inherited(SigningMaterial material, List<X509Certificate> otherRoots, Successor successor) {
    /// When its successor is asked for.
    public enum Successor {
        /// It is one of Vault's, with its share of the lifetime to come.
        IN_TIME,
        /// It is somebody else's.
        AT_ONCE
    }

    public Inherited {
        otherRoots = List.copyOf(otherRoots);
    }

    /// Finds out which root is that of the chain.
    ///
    /// @param material with its roots in any order
    public static Inherited of(SigningMaterial material, Successor successor) {
        var last = material.chain().getLast();
        var root = material.roots().stream()
                .filter(candidate -> IntermediateChain.isSignedBy(last, candidate))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("the chain must lead to one of the roots"));
        var others = new LinkedHashSet<>(material.roots());
        others.remove(root);
        return new Inherited(
                new SigningMaterial(material.key(), material.chain(), List.of(root)), List.copyOf(others), successor);
    }

    static Instant begin(SigningMaterial material) {
        return material.signer().getNotBefore().toInstant();
    }

    VaultState state(RenewalPlanner planner, Instant now, double chance) {
        var end = HeldMaterial.end(material);
        var begin = begin(material);
        var renewal = successor == Successor.AT_ONCE ? now : planner.renewal(begin, end, chance);
        var initial = VaultState.INITIAL;
        // A successor ends later than what it replaced: what those roots had signed is over by then.
        var former = otherRoots.isEmpty() ? List.<Former>of() : List.of(new Former(otherRoots, end));
        return new VaultState(
                Optional.of(new HeldMaterial(material, begin, end, renewal)),
                initial.staged(),
                former,
                initial.trouble(),
                initial.lastContact(),
                initial.renewals(),
                initial.failures());
    }
}
