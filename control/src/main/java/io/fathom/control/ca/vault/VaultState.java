// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

import io.fathom.base.lang.Problem;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// All that [VaultAuthority] knows at one moment. Immutable; every step makes a new one, time is an argument.
///
/// @param current what is signed with
/// @param staged what will be signed with once clients had time to learn its root
/// @param former roots of signers before, as long as certificates below them may be alive
/// @param renewals how often material was got, ever
/// @param failures how often a round failed, ever
record VaultState(
        Optional<HeldMaterial> current,
        Optional<Staged> staged,
        List<Former> former,
        Optional<Trouble> trouble,
        Optional<Instant> lastContact,
        long renewals,
        long failures) {
    static final VaultState INITIAL =
            new VaultState(Optional.empty(), Optional.empty(), List.of(), Optional.empty(), Optional.empty(), 0, 0);

    record Staged(HeldMaterial held, Instant from) {}

    record Former(List<X509Certificate> roots, Instant until) {}

    /// @param since when it last worked, or when the first attempt failed
    /// @param inARow how many rounds failed since
    record Trouble(Problem problem, Instant since, int inARow) {}

    /// What the clock alone brings about: staged material takes over, what is over is forgotten.
    VaultState at(Instant now) {
        var next = staged.filter(waiting -> !now.isBefore(waiting.from()))
                .map(waiting -> replaced(waiting.held()))
                .orElse(this);
        var alive =
                next.former.stream().filter(old -> now.isBefore(old.until())).toList();
        return alive.size() == next.former.size() ? next : next.withFormer(alive);
    }

    /// New material has arrived. It is used at once, unless that would surprise clients with a root they do not know.
    VaultState received(HeldMaterial held, Instant now, RenewalPlanner planner) {
        var counted = new VaultState(current, Optional.empty(), former, trouble, lastContact, renewals + 1, failures);
        var wait = current.filter(old -> !roots().containsAll(held.roots()))
                .map(old -> planner.overlap(old.left(now)))
                .orElse(Duration.ZERO);
        return wait.isPositive() ? counted.withStaged(new Staged(held, now.plus(wait))) : counted.replaced(held);
    }

    VaultState worked(Instant now) {
        return new VaultState(current, staged, former, Optional.empty(), Optional.of(now), renewals, failures);
    }

    VaultState failed(Problem problem, Instant now) {
        var next = new Trouble(
                problem,
                trouble.map(Trouble::since).orElse(now),
                trouble.map(Trouble::inARow).orElse(0) + 1);
        return new VaultState(current, staged, former, Optional.of(next), lastContact, renewals, failures + 1);
    }

    boolean renewalDue(Instant now) {
        return newest().filter(held -> now.isBefore(held.renewAt())).isEmpty();
    }

    /// What the next renewal replaces.
    Optional<HeldMaterial> newest() {
        return staged.map(Staged::held).or(() -> current);
    }

    Optional<HeldMaterial> usable(Instant now) {
        return current.filter(held -> !held.isOver(now));
    }

    /// What clients must trust, that of the current signer first.
    List<X509Certificate> roots() {
        var all = new LinkedHashSet<X509Certificate>();
        current.ifPresent(held -> all.addAll(held.roots()));
        staged.ifPresent(waiting -> all.addAll(waiting.held().roots()));
        former.forEach(old -> all.addAll(old.roots()));
        return List.copyOf(all);
    }

    private VaultState replaced(HeldMaterial next) {
        var changed = current.filter(old -> !next.roots().containsAll(old.roots()));
        var before = Stream.concat(
                        former.stream(), changed.map(old -> new Former(old.roots(), old.notAfter())).stream())
                .toList();
        return new VaultState(Optional.of(next), Optional.empty(), before, trouble, lastContact, renewals, failures);
    }

    private VaultState withStaged(Staged waiting) {
        return new VaultState(current, Optional.of(waiting), former, trouble, lastContact, renewals, failures);
    }

    private VaultState withFormer(List<Former> alive) {
        return new VaultState(current, staged, alive, trouble, lastContact, renewals, failures);
    }
}
