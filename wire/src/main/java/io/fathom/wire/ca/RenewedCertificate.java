// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.ca;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.lang.Timeline;
import io.fathom.model.mesh.Identity;
import io.fathom.wire.pki.TlsIdentity;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The certificate of one identity: fetched until it is there, renewed at half of its life or when somebody says so,
/// kept when that fails. The listener hears of each one on a thread of the timeline. Any thread may ask.
public final class RenewedCertificate implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(RenewedCertificate.class);

    private final CertificateSource source;
    private final Identity identity;
    private final Consumer<TlsIdentity> listener;
    private final Timeline timeline;
    private final RandomGenerator random;
    private Timeline.@Nullable Appointment next;
    private @Nullable TlsIdentity current;
    private int failures;
    private long renewals;
    private long failed;
    private boolean fetching;
    private boolean again; // somebody wanted a new one while one was under way
    private boolean closed;

    public RenewedCertificate(
            CertificateSource source,
            Identity identity,
            Consumer<TlsIdentity> listener,
            Timeline timeline,
            RandomGenerator random) {
        this.source = source;
        this.identity = identity;
        this.listener = listener;
        this.timeline = timeline;
        this.random = random;
    }

    /// Begins to fetch.
    public RenewedCertificate start() {
        plan(timeline.instant());
        return this;
    }

    /// What was fetched last, even if it has ended.
    public synchronized Optional<TlsIdentity> current() {
        return Optional.ofNullable(current);
    }

    /// Fetches a new one now: the one there is will not do any longer. It stays until then.
    public synchronized void renew() {
        failures = 0;
        if (fetching) {
            again = true;
        } else {
            plan(timeline.instant());
        }
    }

    /// How many orders there were.
    public synchronized Counts counts() {
        return new Counts(renewals, failed);
    }

    /// Orders so far.
    public record Counts(long succeeded, long failed) {}

    private void fetch() {
        synchronized (this) {
            fetching = true;
        }
        try {
            var fetched = source.fetch(identity);
            var now = timeline.instant();
            if (now.isBefore(fetched.notAfter())) {
                succeeded(fetched, now);
            } else {
                failed(ended(fetched), now);
            }
        } catch (ProblemException e) {
            failed(e.problem(), timeline.instant());
        } catch (RuntimeException e) {
            log.atError().setCause(e).log("a certificate could not be fetched because of a bug");
            failed(
                    new Problem(
                            "certificate-fetch-failed",
                            "fetching failed: " + e,
                            "report this",
                            Problem.Origin.SERVER,
                            Problem.Retry.SENSIBLE),
                    timeline.instant());
        }
    }

    private void succeeded(TlsIdentity fetched, Instant now) {
        synchronized (this) {
            current = fetched;
            failures = 0;
            renewals++;
        }
        listener.accept(fetched);
        var renewal = RenewalPlanner.renewal(
                fetched.leaf().getNotBefore().toInstant(), fetched.notAfter(), random.nextDouble());
        var soonest = now.plusSeconds(1); // whatever life an authority gives
        var at = renewal.isBefore(soonest) ? soonest : renewal;
        log.atInfo()
                .addKeyValue("identity", identity.uri())
                .addKeyValue("ends", fetched.notAfter())
                .addKeyValue("renewal", at)
                .log("certificate fetched");
        planNext(at);
    }

    private void failed(Problem problem, Instant now) {
        Duration delay;
        synchronized (this) {
            failures++;
            failed++;
            delay = RenewalPlanner.retry(failures, random.nextDouble());
        }
        log.atWarn()
                .addKeyValue("identity", identity.uri())
                .addKeyValue("code", problem.code())
                .addKeyValue("reason", problem)
                .addKeyValue("retry", delay)
                .log("certificate fetch failed");
        planNext(now.plus(delay));
    }

    private Problem ended(TlsIdentity fetched) {
        return new Problem(
                "certificate-expired",
                "the certificate for " + identity.uri() + " had ended at " + fetched.notAfter() + " when it came",
                "compare the clocks of this machine and of the certificate authority",
                Problem.Origin.SERVER,
                Problem.Retry.SENSIBLE);
    }

    private synchronized void planNext(Instant time) {
        fetching = false;
        plan(again ? timeline.instant() : time);
        again = false;
    }

    private synchronized void plan(Instant time) {
        if (next != null) {
            next.close();
        }
        if (!closed) {
            next = timeline.at(time, this::fetch);
        }
    }

    /// Nothing is fetched after this, but for what is under way.
    @Override
    public synchronized void close() {
        closed = true;
        if (next != null) {
            next.close();
        }
    }
}
