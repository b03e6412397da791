// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.lang.Timeline;
import io.fathom.control.ca.Authority;
import io.fathom.control.ca.AuthorityHealth;
import io.fathom.wire.pki.SigningMaterial;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/// Signs with an intermediate below Vault's PKI engine. The key is made here, Vault certifies it, and long before it
/// ends it is replaced by another. While Vault is sealed, stopped, slow or refuses us, the intermediate in hand goes
/// on; [#health()] and [#status()] tell since when and why, and the first round that works ends that by itself.
///
/// All that talks to Vault happens in rounds, one after the other, each a task of the timeline. Everybody else reads an
/// immutable state and never waits for Vault. Nothing is kept on disk: after a restart a new intermediate is asked for,
/// unless whoever starts it has kept the last one.
public final class VaultAuthority implements Authority {
    private static final Logger log = LoggerFactory.getLogger(VaultAuthority.class);

    private final VaultServer server;
    private final RenewalPlanner planner;
    private final Timeline timeline;
    private final RandomGenerator random;
    private final VaultClient client;
    private final VaultSession session;
    private final VaultPki pki;
    private final List<Runnable> subscribers = new CopyOnWriteArrayList<>();
    private final Object appointmentLock = new Object();
    private Optional<Timeline.Appointment> appointment = Optional.empty(); // guarded by appointmentLock
    private boolean closed; // guarded by appointmentLock
    private final Optional<Inherited> replaced;
    private volatile VaultState state; // written by rounds only
    private Visible told; // used by rounds only

    private VaultAuthority(
            VaultConfig config, Optional<Inherited> inherited, Timeline timeline, RandomGenerator random) {
        this.server = config.server();
        this.planner = new RenewalPlanner(config.renewal());
        this.timeline = timeline;
        this.random = random;
        this.client = new VaultClient(server);
        this.session = new VaultSession(server, config.login(), client, planner, random);
        this.pki = new VaultPki(server, config.profile(), client, session);
        var now = timeline.instant();
        this.state =
                inherited.map(it -> it.state(planner, now, random.nextDouble())).orElse(VaultState.INITIAL);
        this.replaced = inherited.filter(it -> it.successor() == Inherited.Successor.AT_ONCE);
        this.told = Visible.of(state, planner, now);
    }

    /// Returns at once; the first intermediate comes with the first round. Until then the state is DOWN.
    ///
    /// @param random for jitter only, not for keys
    public static VaultAuthority start(VaultConfig config, Timeline timeline, RandomGenerator random) {
        return start(config, Optional.empty(), timeline, random);
    }

    /// The same, but signs with what is inherited until that is replaced.
    public static VaultAuthority start(
            VaultConfig config, Optional<Inherited> inherited, Timeline timeline, RandomGenerator random) {
        var authority = new VaultAuthority(config, inherited, timeline, random);
        authority.meetAt(timeline.instant());
        return authority;
    }

    @Override
    public SigningMaterial material() {
        var seen = state;
        var now = timeline.instant();
        return seen.usable(now)
                .map(HeldMaterial::material)
                .orElseThrow(() -> new ProblemException(
                        VaultStatus.of(seen, planner, now).health().problem().orElseThrow()));
    }

    @Override
    public List<X509Certificate> roots() {
        return state.roots();
    }

    @Override
    public AutoCloseable subscribe(Runnable onChange) {
        subscribers.add(onChange);
        return () -> subscribers.remove(onChange);
    }

    @Override
    public AuthorityHealth health() {
        return status().health();
    }

    public VaultStatus status() {
        return VaultStatus.of(state, planner, timeline.instant());
    }

    @Override
    public void close() {
        synchronized (appointmentLock) {
            closed = true;
            appointment.ifPresent(Timeline.Appointment::close);
        }
        client.close();
    }

    private void round() {
        var began = timeline.instant();
        var next = state.at(began);
        state = next; // staged material takes over even if Vault keeps us waiting
        try {
            next = talked(next, began).worked(timeline.instant());
        } catch (ProblemException e) {
            next = failed(next, e.problem());
        } catch (RuntimeException e) {
            log.atError().setCause(e).log("looking after the Vault intermediate failed unexpectedly");
            next = failed(next, Problem.ofInput("vault-internal", e.toString(), "report this as a bug, with the log"));
        }
        if (isClosed()) {
            return;
        }
        state = next;
        var now = timeline.instant();
        tell(Visible.of(next, planner, now));
        meetAt(nextRound(next, now));
    }

    /// Everything that is due, in this order, so that the first problem names the cause and not a consequence.
    private VaultState talked(VaultState from, Instant now) {
        VaultProblems.health(server, client.health()).ifPresent(problem -> {
            throw new ProblemException(problem);
        });
        var next = from;
        session.token(now);
        if (next.renewalDue(now)) {
            next = next.received(renewed(next, now), now, planner);
            state = next; // whatever fails below, this is ours
        }
        session.outlook().ifPresent(problem -> {
            throw new ProblemException(problem);
        });
        return next;
    }

    private HeldMaterial renewed(VaultState from, Instant now) {
        var held = HeldMaterial.of(pki.intermediate(now), now, planner, random.nextDouble());
        var gained = from.newest()
                .filter(old -> replaced.filter(it -> it.material().equals(old.material()))
                        .isEmpty())
                .map(old -> Duration.between(old.notAfter(), held.notAfter()).isPositive())
                .orElse(true);
        if (!gained) {
            throw new ProblemException(endOfIssuer(held));
        }
        log.atInfo()
                .addKeyValue("vault", server.address())
                .addKeyValue(
                        "serial", held.material().signer().getSerialNumber().toString(16))
                .addKeyValue("notAfter", held.notAfter())
                .addKeyValue("renewAt", held.renewAt())
                .log("got an intermediate from Vault");
        return held;
    }

    private static Problem endOfIssuer(HeldMaterial held) {
        return new Problem(
                "vault-issuer-ending",
                "Vault's issuer itself ends at " + held.notAfter() + ", so a new intermediate lives no longer",
                "renew or rotate the issuer in Vault, or name another one",
                Problem.Origin.MESH,
                Problem.Retry.SENSIBLE);
    }

    private VaultState failed(VaultState from, Problem problem) {
        // what `talked` has got before it failed is already in `state`
        var next = (state.renewals() > from.renewals() ? state : from).failed(problem, timeline.instant());
        var first = from.trouble()
                .filter(trouble -> trouble.problem().code().equals(problem.code()))
                .isEmpty();
        log.atLevel(first ? Level.WARN : Level.DEBUG)
                .addKeyValue("vault", server.address())
                .addKeyValue("problem", problem.code())
                .addKeyValue("message", problem.message())
                .addKeyValue("fix", problem.fix())
                .log("Vault did not give what was asked for");
        return next;
    }

    private Instant nextRound(VaultState from, Instant now) {
        var left = from.newest().map(held -> held.left(now)).orElse(Duration.ZERO);
        var planned = from.trouble()
                .map(trouble -> now.plus(planner.retry(trouble.inARow(), left, random.nextDouble())))
                .orElseGet(() -> Stream.of(from.newest().map(HeldMaterial::renewAt), session.due())
                        .flatMap(Optional::stream)
                        .reduce(now.plus(planner.policy().checkEvery()), VaultAuthority::earlier));
        var changes = from.current().stream()
                .flatMap(held -> Stream.of(planner.alarmAt(held.taken(), held.notAfter()), held.notAfter()));
        return Stream.concat(changes, from.staged().map(VaultState.Staged::from).stream())
                .filter(time -> time.isAfter(now))
                .reduce(planned, VaultAuthority::earlier);
    }

    private void meetAt(Instant time) {
        synchronized (appointmentLock) {
            if (!closed) {
                appointment = Optional.of(timeline.at(time, this::round));
            }
        }
    }

    private boolean isClosed() {
        synchronized (appointmentLock) {
            return closed;
        }
    }

    private void tell(Visible after) {
        var before = told;
        if (before.equals(after)) {
            return;
        }
        told = after;
        if (before.standing() != after.standing()) {
            log.atInfo()
                    .addKeyValue("vault", server.address())
                    .addKeyValue("state", after.standing())
                    .log("Vault authority");
        }
        for (var subscriber : subscribers) {
            try {
                subscriber.run();
            } catch (RuntimeException e) {
                log.atError().setCause(e).log("a subscriber of the Vault authority failed");
            }
        }
    }

    private static Instant earlier(Instant one, Instant other) {
        return one.isBefore(other) ? one : other;
    }

    /// What subscribers can see; a change of it is worth telling.
    private record Visible(
            Optional<HeldMaterial> current,
            List<X509Certificate> roots,
            AuthorityHealth.State standing,
            String problem) {
        static Visible of(VaultState state, RenewalPlanner planner, Instant now) {
            var health = VaultStatus.of(state, planner, now).health();
            return new Visible(
                    state.current(),
                    state.roots(),
                    health.state(),
                    health.problem().map(Problem::code).orElse(""));
        }
    }
}
