// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.identity;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Timeline;
import io.fathom.model.mesh.Identity;
import io.fathom.wire.pki.TlsIdentity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// All about one identity. Guarded by its store's lock, but for the certificate, which anybody may look at.
final class Holding {
    final Identity identity;
    private volatile @Nullable TlsIdentity certificate;
    private @Nullable Problem error;
    private int failures;
    private Instant retryAt = Instant.MIN;
    private boolean inFlight;
    private boolean outdated; // what is in flight was ordered from somebody who is not our authority any more
    private Timeline.@Nullable Appointment next;
    private final List<CompletableFuture<CertificateAnswer>> waiters = new ArrayList<>();

    Holding(Identity identity) {
        this.identity = identity;
    }

    /// Any thread.
    Optional<TlsIdentity> valid(Instant now) {
        var current = certificate;
        return current != null && now.isBefore(current.notAfter()) ? Optional.of(current) : Optional.empty();
    }

    boolean isInFlight() {
        return inFlight;
    }

    void start() {
        inFlight = true;
    }

    /// Why not to try just now.
    Optional<Problem> cachedError(Instant now) {
        return !inFlight && now.isBefore(retryAt) ? Optional.ofNullable(error) : Optional.empty();
    }

    /// Nothing that was ordered before this will do.
    void outdate() {
        outdated = inFlight;
        failures = 0;
        retryAt = Instant.MIN;
    }

    /// Returns whether it will do.
    boolean succeed(TlsIdentity fetched) {
        var good = !outdated;
        outdated = false;
        inFlight = false;
        certificate = fetched;
        error = null;
        failures = 0;
        retryAt = Instant.MIN;
        return good;
    }

    /// Returns how many failures there were in a row.
    int fail(Problem problem) {
        inFlight = false;
        outdated = false;
        error = problem;
        return ++failures;
    }

    void retryAt(Instant time) {
        retryAt = time;
    }

    void plan(Timeline.Appointment appointment) {
        cancel();
        next = appointment;
    }

    void cancel() {
        if (next != null) {
            next.close();
        }
    }

    void enlist(CompletableFuture<CertificateAnswer> waiter) {
        waiters.add(waiter);
    }

    /// Those who have their answer already wait no more.
    void sweep() {
        waiters.removeIf(CompletableFuture::isDone);
    }

    List<CompletableFuture<CertificateAnswer>> takeWaiters() {
        var taken = List.copyOf(waiters);
        waiters.clear();
        return taken;
    }

    CertificateState state(Instant now) {
        var stage = valid(now).isPresent()
                ? CertificateState.Stage.AVAILABLE
                : certificate == null && error == null
                        ? CertificateState.Stage.INITIALIZING
                        : CertificateState.Stage.UNAVAILABLE;
        return new CertificateState(identity, stage, Optional.ofNullable(certificate), Optional.ofNullable(error));
    }
}
