// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.dial;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.lang.Timeline;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The roots that verify the control plane, read again now and then: Kubernetes replaces their file while we run, and
/// whoever holds certificates of the old root has to hear of it. What cannot be read changes nothing. The listener is
/// called on threads of the timeline, one at a time; the first time before `start` returns, if there are roots then.
public final class TrustWatch implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(TrustWatch.class);
    private static final Duration PERIOD = Duration.ofSeconds(5);

    private final ServerTrust trust;
    private final Consumer<TrustChange> listener;
    private final Timeline timeline;
    private Optional<List<X509Certificate>> current = Optional.empty();
    private Optional<Problem> complaint = Optional.empty();
    private Timeline.@Nullable Appointment next;
    private boolean closed;

    /// What the listener hears.
    public sealed interface TrustChange {
        List<X509Certificate> roots();

        /// What was there when the watch began, or came to be first.
        record First(List<X509Certificate> roots) implements TrustChange {}

        /// Others were there before.
        record Replaced(List<X509Certificate> roots) implements TrustChange {}
    }

    public TrustWatch(ServerTrust trust, Consumer<TrustChange> listener, Timeline timeline) {
        this.trust = trust;
        this.listener = listener;
        this.timeline = timeline;
    }

    /// Looks now, and from now on.
    public TrustWatch start() {
        look();
        return this;
    }

    private void look() {
        try {
            var roots = trust.roots();
            complaint = Optional.empty();
            if (!current.equals(Optional.of(roots))) {
                var change = current.isEmpty() ? new TrustChange.First(roots) : new TrustChange.Replaced(roots);
                current = Optional.of(roots);
                listener.accept(change);
            }
        } catch (ProblemException e) {
            complain(e.problem());
        } finally {
            plan();
        }
    }

    /// Once for each: it may stay like that.
    private void complain(Problem problem) {
        if (!complaint.equals(Optional.of(problem))) {
            complaint = Optional.of(problem);
            log.atWarn().addKeyValue("code", problem.code()).log(problem.toString());
        }
    }

    private synchronized void plan() {
        if (!closed) {
            next = timeline.at(timeline.instant().plus(PERIOD), this::look);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (next != null) {
            next.close();
        }
    }
}
