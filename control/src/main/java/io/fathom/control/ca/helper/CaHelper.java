// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.helper;

import io.fathom.base.lang.Backoff;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Problem.Origin;
import io.fathom.base.lang.Problem.Retry;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.lang.Timeline;
import io.fathom.control.ca.CaFiles;
import io.fathom.control.ca.RootStore.Content;
import io.fathom.control.ca.vault.Alarm;
import io.fathom.control.ca.vault.Inherited;
import io.fathom.control.ca.vault.VaultAuthority;
import io.fathom.wire.pki.SigningMaterial;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Stores an intermediate of Vault's for control planes that read plugged certificates, and its successor long before
/// it ends. What is stored goes on after a restart. Nothing is ever taken away: when Vault or the store fails, what is
/// there stays, and the next attempt follows. If somebody else stores certificates meanwhile, those are looked at as if
/// they had been there from the start.
///
/// All that touches the store happens in rounds, one after the other, each a task of the timeline.
public final class CaHelper implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(CaHelper.class);
    private static final Duration FIRST_RETRY = Duration.ofSeconds(1);
    private static final Duration LONGEST_RETRY = Duration.ofMinutes(1);

    private final HelperConfig config;
    private final Timeline timeline;
    private final RandomGenerator random;
    private final Backoff backoff;
    private final Object appointmentLock = new Object();
    private Optional<Timeline.Appointment> appointment = Optional.empty(); // guarded by appointmentLock
    private boolean signalled; // guarded by appointmentLock
    private boolean closed; // guarded by appointmentLock
    private String told = ""; // the code of the last complaint; used by rounds only
    private volatile State state = new State(Optional.empty(), Optional.empty(), Optional.empty(), 0, 0);

    /// One authority and what we know to be stored since it began.
    ///
    /// @param files what was stored last, as text
    /// @param known the same with what else is there
    private record Session(VaultAuthority authority, Optional<CaFiles> files, Optional<Content> known) {}

    private enum Wrote {
        NOTHING,
        ALL
    }

    /// Written by rounds only.
    private record State(
            Optional<Session> session,
            Optional<SigningMaterial> stored,
            Optional<Problem> trouble,
            long writes,
            long failures) {
        State with(Session next) {
            return new State(Optional.of(next), stored, trouble, writes, failures);
        }

        State worked(Optional<SigningMaterial> now, Wrote wrote) {
            return new State(session, now, Optional.empty(), writes + (wrote == Wrote.ALL ? 1 : 0), failures);
        }
    }

    private CaHelper(HelperConfig config, Timeline timeline, RandomGenerator random) {
        this.config = config;
        this.timeline = timeline;
        this.random = random;
        this.backoff = new Backoff(FIRST_RETRY, LONGEST_RETRY, random);
    }

    /// Returns at once; [#status()] tells when there is something to sign with.
    ///
    /// @param random for jitter only, not for keys
    public static CaHelper start(HelperConfig config, Timeline timeline, RandomGenerator random) {
        var helper = new CaHelper(config, timeline, random);
        helper.signal();
        return helper;
    }

    public HelperStatus status() {
        var seen = state;
        var now = timeline.instant();
        return new HelperStatus(
                config.place(),
                seen.stored().map(config.vault()::end),
                seen.stored()
                        .map(material -> config.vault().alarm(material, now))
                        .orElse(Alarm.EXPIRED),
                seen.trouble(),
                seen.session().map(session -> session.authority().status()),
                seen.writes(),
                seen.failures());
    }

    @Override
    public void close() {
        synchronized (appointmentLock) {
            closed = true;
            appointment.ifPresent(Timeline.Appointment::close);
        }
        synchronized (this) { // a round may have begun another session
            state.session().ifPresent(session -> session.authority().close());
        }
    }

    /// A round is due now, and after the one that runs.
    private void signal() {
        synchronized (appointmentLock) {
            signalled = true;
            meetAt(timeline.instant());
        }
    }

    private synchronized void round() {
        synchronized (appointmentLock) {
            if (closed) {
                return;
            }
            signalled = false;
        }
        var pause = config.vault().renewal().checkEvery();
        try {
            state = looked(state);
            backoff.reset();
        } catch (ProblemException e) {
            pause = failed(e.problem());
        } catch (RuntimeException e) {
            log.atError().setCause(e).log("looking after the stored intermediate failed unexpectedly");
            pause = failed(Problem.ofInput("ca-helper-internal", e.toString(), "report this as a bug, with the log"));
        }
        complain();
        synchronized (appointmentLock) {
            meetAt(signalled ? timeline.instant() : timeline.instant().plus(pause));
        }
    }

    /// Compares what is stored with what should be, and stores that.
    private State looked(State before) {
        var stored = config.store().read();
        var changed = before.session()
                .map(session -> stored.isPresent() && !stored.equals(session.known()))
                .orElse(true);
        var next = changed ? begun(before, stored) : before;
        var session = next.session().orElseThrow();
        var material = material(session.authority());
        if (material.isEmpty()) {
            return next.worked(next.stored(), Wrote.NOTHING); // what is stored stays
        }
        var files = CaFiles.of(material.get(), session.authority().roots(), session.files());
        var wanted = files.content(stored.map(Content::entries).orElse(Map.of()));
        var wrote = Wrote.NOTHING;
        if (!stored.equals(Optional.of(wanted))) {
            store(stored, wanted, material.get());
            wrote = Wrote.ALL;
        }
        return next.with(new Session(session.authority(), Optional.of(files), Optional.of(wanted)))
                .worked(material, wrote);
    }

    /// Begins with what is stored, which nobody here knows yet.
    private State begun(State before, Optional<Content> stored) {
        before.session().ifPresent(session -> {
            log.atWarn().addKeyValue("place", config.place()).log("somebody else has stored other certificates");
            session.authority().close();
        });
        var profile = config.vault().profile();
        var judged = StoredCerts.judge(stored, profile, config.foreign(), config.place(), timeline.instant());
        var without =
                new State(Optional.empty(), Optional.empty(), before.trouble(), before.writes(), before.failures());
        var session = switch (judged) {
            case StoredCerts.None() -> authority(Optional.empty(), Optional.empty(), stored);
            case StoredCerts.Usable(var inherited, var files) ->
                authority(Optional.of(inherited), Optional.of(files), stored);
            case StoredCerts.Refused(var problem) -> {
                state = without;
                throw new ProblemException(problem);
            }
        };
        state = without.with(session); // whatever fails below, this runs
        return state;
    }

    private Session authority(Optional<Inherited> inherited, Optional<CaFiles> files, Optional<Content> stored) {
        var authority = VaultAuthority.start(config.vault(), inherited, timeline, random);
        authority.subscribe(this::signal);
        return new Session(authority, files, stored);
    }

    private static Optional<SigningMaterial> material(VaultAuthority authority) {
        try {
            return Optional.of(authority.material());
        } catch (ProblemException e) {
            return Optional.empty(); // its status says why
        }
    }

    private void store(Optional<Content> stored, Content wanted, SigningMaterial material) {
        if (!config.store().replace(stored, wanted)) {
            throw new ProblemException(new Problem(
                    "cacerts-conflict",
                    "the " + config.place() + " was changed while an intermediate was about to be stored there",
                    "wait; if it happens again, see who else writes there",
                    Origin.SERVER,
                    Retry.SENSIBLE));
        }
        log.atInfo()
                .addKeyValue("place", config.place())
                .addKeyValue("serial", material.signer().getSerialNumber().toString(16))
                .addKeyValue("notAfter", material.notAfter())
                .log("the intermediate and its roots are stored");
    }

    private Duration failed(Problem problem) {
        var before = state;
        state = new State(
                before.session(), before.stored(), Optional.of(problem), before.writes(), before.failures() + 1);
        return backoff.next();
    }

    /// Says once what is wrong now: an intermediate that is about to end before anything else.
    private void complain() {
        var status = status();
        var problem =
                status.unready().filter(_ -> status.storedUntil().isPresent()).or(status::trouble);
        var code = problem.map(Problem::code).orElse("");
        if (!code.equals(told)) {
            told = code;
            problem.ifPresentOrElse(
                    what -> log.atError()
                            .addKeyValue("problem", what.code())
                            .addKeyValue("fix", what.fix())
                            .log(what.message()),
                    () -> log.atInfo().addKeyValue("place", config.place()).log("the stored intermediate is fine"));
        }
    }

    private void meetAt(Instant time) {
        appointment.ifPresent(Timeline.Appointment::close);
        if (!closed) {
            appointment = Optional.of(timeline.at(time, this::round));
        }
    }
}
