// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.control.ca.RotationPlanner.RotationStep;
import io.fathom.wire.pki.MaterialCheck;
import io.fathom.wire.pki.RootCertificate;
import io.fathom.wire.pki.SigningMaterial;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A root of our own, made once and kept in a [RootStore]. It is followed by another in time: first clients are told of
/// the new root, then it signs, and the old one stays trusted until everything it signed has ended. Changes go to the
/// store first and are taken into use only if they got there, so there is nothing to roll back; what another control
/// plane has stored meanwhile wins over what we wanted.
public final class SelfSignedAuthority implements Authority {
    private static final Logger log = LoggerFactory.getLogger(SelfSignedAuthority.class);
    private static final Duration SOONEST = Duration.ofMillis(100);
    private static final int STEPS_AT_ONCE = 8;

    private final RootStore store;
    private final RootPolicy policy;
    private final String trustDomain;
    private final InstantSource clock;
    private final Subscribers subscribers = new Subscribers();
    private volatile Serving serving;
    private @Nullable Repeating checks;

    private record Serving(
            RootStore.Content stored,
            RootState state,
            SigningMaterial material,
            Instant since,
            Optional<Problem> problem) {}

    private SelfSignedAuthority(RootStore store, RootPolicy policy, String trustDomain, InstantSource clock) {
        this.store = store;
        this.policy = policy;
        this.trustDomain = trustDomain;
        this.clock = clock;
        this.serving = loaded(store.read().orElseGet(this::create));
    }

    /// Reads the root, or makes it if there is none; if several start at once, all end up with the same one.
    ///
    /// @param trustDomain becomes the organization in the root's name
    /// @throws ProblemException if the store cannot be used or holds nothing usable
    public static SelfSignedAuthority open(
            RootStore store, RootPolicy policy, String trustDomain, InstantSource clock) {
        return new SelfSignedAuthority(store, policy, trustDomain, clock);
    }

    /// Begins to check and to rotate in the background, the first time after a random part of the pause between checks,
    /// so that replicas do not all do so together.
    public synchronized SelfSignedAuthority start() {
        if (checks == null) {
            var jitter = Duration.ofMillis(
                    ThreadLocalRandom.current().nextLong(policy.checks().toMillis()));
            checks = new Repeating("self-signed-authority", earlier(jitter, untilNextStep()), () -> {
                check();
                return earlier(policy.checks(), untilNextStep());
            });
        }
        return this;
    }

    private Duration untilNextStep() {
        var rest = Duration.between(clock.instant(), RotationPlanner.nextTime(serving.state(), policy));
        return rest.compareTo(SOONEST) < 0 ? SOONEST : rest;
    }

    private static Duration earlier(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private RootStore.Content create() {
        var content = new RootState(newRoot(), Optional.empty(), List.of()).content();
        if (store.replace(Optional.empty(), content)) {
            log.atInfo().addKeyValue("trustDomain", trustDomain).log("a root certificate was created");
            return content;
        }
        return store.read().orElseThrow(() -> new IllegalStateException("the root vanished while we started"));
    }

    private RootState.Root newRoot() {
        var keys = policy.algorithm().generate();
        return new RootState.Root(
                keys.getPrivate(), RootCertificate.create(keys, trustDomain, rootStart(), policy.lifetime()));
    }

    private Instant rootStart() {
        return clock.instant().minus(RotationPlanner.CLOCK_SKEW).truncatedTo(ChronoUnit.SECONDS);
    }

    private Serving loaded(RootStore.Content content) {
        var state = RootState.read(content);
        var problem = MaterialCheck.problem(state.material(), clock.instant());
        if (problem.isPresent()) {
            throw new ProblemException(problem.get());
        }
        return new Serving(content, state, state.material(), clock.instant(), Optional.empty());
    }

    /// Takes over what others have stored, then does whatever step of the rotation is due.
    synchronized void check() {
        try {
            var stored = store.read();
            if (stored.isEmpty()) {
                throw new ProblemException(new Problem(
                        "ca-root-missing",
                        "the stored root is gone",
                        "restore it from a copy; until then the root in memory goes on signing",
                        Problem.Origin.SERVER,
                        Problem.Retry.SENSIBLE));
            }
            if (!stored.get().equals(serving.stored())) {
                publish(loaded(stored.get()), "a root was taken over from the store");
            }
            for (var steps = 0; steps < STEPS_AT_ONCE && step(); steps++) {}
            if (serving.problem().isPresent()) {
                publish(loaded(serving.stored()), "the store of the root is usable again");
            }
        } catch (ProblemException e) {
            degraded(e.problem());
        }
    }

    private boolean step() {
        var state = serving.state();
        return switch (RotationPlanner.next(state, policy, clock.instant())) {
            case RotationStep.Nothing _ -> false;
            case RotationStep.Announce _ -> announce(state);
            case RotationStep.Activate _ -> activate(state);
            case RotationStep.Prolong _ -> {
                var active = state.active();
                var prolonged =
                        RootCertificate.renew(active.certificate(), active.key(), rootStart(), policy.lifetime());
                yield change(
                        new RootState(new RootState.Root(active.key(), prolonged), Optional.empty(), state.retired()),
                        "the root certificate was prolonged");
            }
            case RotationStep.Forget forget -> {
                var kept = new ArrayList<>(state.retired());
                kept.removeAll(forget.roots());
                yield change(new RootState(state.active(), state.next(), kept), "an old root is no longer trusted");
            }
        };
    }

    private boolean announce(RootState state) {
        return change(
                new RootState(state.active(), Optional.of(newRoot()), state.retired()), "a new root was announced");
    }

    private boolean activate(RootState state) {
        var retired = new ArrayList<>(state.retired());
        retired.add(state.active().certificate());
        return change(
                new RootState(state.next().orElseThrow(), Optional.empty(), retired), "the new root signs from now on");
    }

    /// Begins a rotation now, whatever the age of the root. Nothing if one is under way.
    ///
    /// @throws ProblemException if the new root cannot be stored
    public synchronized void rotate() {
        if (serving.state().next().isEmpty()) {
            announce(serving.state());
            if (checks != null) {
                checks.hurry(); // the background planned with the old state
            }
        }
    }

    /// Looks at the store soon, in the background, because it may have changed. Nothing before [#start].
    public synchronized void checkSoon() {
        if (checks != null) {
            checks.hurry();
        }
    }

    private boolean change(RootState state, String what) {
        var content = state.content();
        var after = loaded(content);
        if (!store.replace(Optional.of(serving.stored()), content)) {
            return false; // another replica was faster: the next check takes over what it stored
        }
        publish(after, what);
        return true;
    }

    private void publish(Serving after, String what) {
        serving = after;
        log.atInfo()
                .addKeyValue(
                        "root.serial",
                        after.material().signer().getSerialNumber().toString(16))
                .addKeyValue("roots", after.state().roots().size())
                .log(what);
        subscribers.tell();
    }

    private void degraded(Problem problem) {
        var now = serving;
        if (!now.problem().equals(Optional.of(problem))) {
            log.atError().addKeyValue("problem", problem.code()).log(problem.toString());
            serving = new Serving(now.stored(), now.state(), now.material(), now.since(), Optional.of(problem));
            subscribers.tell();
        }
    }

    @Override
    public SigningMaterial material() {
        return serving.material();
    }

    @Override
    public List<X509Certificate> roots() {
        return serving.state().roots();
    }

    @Override
    public AutoCloseable subscribe(Runnable onChange) {
        return subscribers.add(onChange);
    }

    @Override
    public AuthorityHealth health() {
        var now = serving;
        return AuthorityHealth.of("self-signed", now.material(), now.since(), now.problem(), clock.instant());
    }

    @Override
    public synchronized void close() {
        if (checks != null) {
            checks.close();
        }
    }
}
