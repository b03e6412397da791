// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Plans the life of self-signed roots. Pure: everything follows from the roots themselves and the time, so that any
/// replica, also after a restart, plans the same.
final class RotationPlanner {
    /// Roots start a little in the past, for clients whose clocks are behind.
    static final Duration CLOCK_SKEW = Duration.ofMinutes(2);

    /// What to do now.
    sealed interface RotationStep {
        record Nothing() implements RotationStep {}

        /// Make the next root and let clients know it.
        record Announce() implements RotationStep {}

        /// The announced root signs from now on.
        record Activate() implements RotationStep {}

        /// Give the same root a later end.
        record Prolong() implements RotationStep {}

        /// What these roots signed has ended.
        record Forget(List<X509Certificate> roots) implements RotationStep {}
    }

    private RotationPlanner() {}

    static RotationStep next(RootState state, RootPolicy policy, Instant now) {
        var gone = state.retired().stream()
                .filter(root -> !now.isBefore(forgetAt(state, root, policy)))
                .toList();
        if (!gone.isEmpty()) {
            return new RotationStep.Forget(gone);
        }
        if (state.next().isPresent()) {
            return now.isBefore(activateAt(state, state.next().get(), policy))
                    ? new RotationStep.Nothing()
                    : new RotationStep.Activate();
        }
        if (now.isBefore(renewAt(state.active().certificate()))) {
            return new RotationStep.Nothing();
        }
        return switch (policy.renewal()) {
            case NEW_KEY -> new RotationStep.Announce();
            case SAME_KEY -> new RotationStep.Prolong();
        };
    }

    /// When [#next] may answer differently.
    static Instant nextTime(RootState state, RootPolicy policy) {
        var change = state.next()
                .map(next -> activateAt(state, next, policy))
                .orElseGet(() -> renewAt(state.active().certificate()));
        return Stream.concat(Stream.of(change), state.retired().stream().map(root -> forgetAt(state, root, policy)))
                .min(Instant::compareTo)
                .orElse(change);
    }

    /// With the last fifth of its life a root is due.
    private static Instant renewAt(X509Certificate root) {
        var start = root.getNotBefore().toInstant();
        var end = root.getNotAfter().toInstant();
        return end.minus(Duration.between(start, end).dividedBy(5));
    }

    /// After its announcement, or when the root that signs now ends even sooner.
    private static Instant activateAt(RootState state, RootState.Root next, RootPolicy policy) {
        var announced = announcedAt(next.certificate()).plus(policy.announcement());
        var end = state.active().certificate().getNotAfter().toInstant();
        return end.isBefore(announced) ? end : announced;
    }

    private static Instant announcedAt(X509Certificate root) {
        return root.getNotBefore().toInstant().plus(CLOCK_SKEW);
    }

    /// The root that signs now has done so since the end of its announcement; nothing older was signed by others.
    private static Instant forgetAt(RootState state, X509Certificate retired, RootPolicy policy) {
        var replaced = announcedAt(state.active().certificate())
                .plus(policy.announcement())
                .plus(policy.retirement());
        var end = retired.getNotAfter().toInstant();
        return Optional.of(end).filter(replaced::isAfter).orElse(replaced);
    }
}
