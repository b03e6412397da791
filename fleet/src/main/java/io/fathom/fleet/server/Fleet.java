// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import io.fathom.fleet.join.ClusterIdentity;
import io.fathom.fleet.join.JoinToken;
import io.fathom.fleet.server.Registration.Bounds;
import io.fathom.fleet.server.Registration.ClusterStanding;
import io.fathom.model.fleet.FactVersion;
import io.fathom.model.fleet.FleetDown.Receipt;
import io.fathom.model.fleet.FleetDown.Rejection;
import io.fathom.model.fleet.FleetUp.Gateways;
import io.fathom.model.fleet.GatewayFact;
import io.fathom.wire.fleet.JoinOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// Who is a member, what each member said, and which tokens are out. One writer at a time; readers take the
/// snapshot. A change is in the store before anybody hears of it.
final class Fleet {
    private static final Duration TOKENS_REMEMBERED = Duration.ofDays(7);

    private final FleetStore store;
    private final FleetPolicy policy;
    private final InstantSource clock;
    private final SecureRandom random;
    private final Consumer<String> listener;
    private volatile Map<String, Registration> registrations;

    /// @param listener gets the UID of each cluster that is different; must not block
    Fleet(FleetStore store, FleetPolicy policy, InstantSource clock, SecureRandom random, Consumer<String> listener) {
        this.store = store;
        this.policy = policy;
        this.clock = clock;
        this.random = random;
        this.listener = listener;
        this.registrations = Map.of();
        store.follow(this::learn);
        store.registrations().forEach(registration -> learn(registration.uid()));
    }

    /// Takes what another server has changed.
    private synchronized void learn(String uid) {
        store.registration(uid).filter(now -> !isKnown(now)).ifPresent(now -> {
            registrations = with(now);
            listener.accept(uid);
        });
    }

    /// The version alone is not worth a write, so what is stored may have an older one.
    private boolean isKnown(Registration stored) {
        return Optional.ofNullable(registrations.get(stored.uid()))
                .filter(stored::isSame)
                .isPresent();
    }

    /// Makes a change to what is true now, whoever else makes one.
    private <T> T exclusively(Supplier<T> change) {
        return store.exclusively(() -> {
            store.registrations().forEach(registration -> learn(registration.uid()));
            return change.get();
        });
    }

    /// All clusters that are or were members, by UID.
    Map<String, Registration> registrations() {
        return registrations;
    }

    /// A token for a cluster.
    ///
    /// @param bounds what the cluster may say; nothing named allows all that is free
    synchronized JoinToken issue(String cluster, Bounds bounds, Duration life, String serverKey) {
        if (!ClusterIdentity.isName(cluster)) {
            throw FleetProblems.badCluster("'" + cluster + "' is no name of a cluster");
        }
        forgetOldTokens();
        var token = JoinToken.create(serverKey, random);
        var stored = new StoredToken(
                token.id(),
                token.hash(),
                cluster,
                bounds.networks(),
                bounds.trustDomains(),
                bounds.labels(),
                clock.instant().plus(life),
                Optional.empty());
        store.issue(stored);
        return token;
    }

    private void forgetOldTokens() {
        store.tokens().stream()
                .filter(token -> token.expires().plus(TOKENS_REMEMBERED).isBefore(clock.instant()))
                .forEach(store::forget);
    }

    /// How many tokens are good for something.
    long openTokens() {
        return store.tokens().stream()
                .filter(token -> token.usedBy().isEmpty() && clock.instant().isBefore(token.expires()))
                .count();
    }

    /// Makes a cluster a member and uses the token up. The same key may ask again with it: the answer may have been
    /// lost.
    ///
    /// @param key fingerprint of the agent's key
    synchronized Registration join(JoinOrder order, String key) {
        return exclusively(() -> admit(order, key));
    }

    private Registration admit(JoinOrder order, String key) {
        var token = check(order, key);
        var bounds = bounds(order, token);
        var before = Optional.ofNullable(registrations.get(order.uid()));
        var joined = new Registration(
                order.uid(),
                order.cluster(),
                before.map(Registration::handle).orElseGet(store::nextHandle),
                bounds,
                key,
                clock.instant(),
                ClusterStanding.MEMBER,
                before.filter(Registration::isMember).flatMap(Registration::gateway),
                before.map(Registration::version).orElse(FactVersion.NONE));
        store.use(token, key); // first: one that is used up for nothing is replaced, one that is used twice is a breach
        keep(joined);
        return joined;
    }

    private StoredToken check(JoinOrder order, String key) {
        var shown = JoinToken.parse(order.token()).orElseThrow(FleetProblems::unknownToken);
        var token = store.token(shown.id())
                .filter(known -> isEqual(known.hash(), shown.hash()))
                .orElseThrow(FleetProblems::unknownToken);
        if (token.usedBy().isPresent() && !token.usedBy().get().equals(key)) {
            throw FleetProblems.used(token);
        }
        if (!clock.instant().isBefore(token.expires())) {
            throw FleetProblems.expired(token);
        }
        if (!token.cluster().equals(order.cluster())) {
            throw FleetProblems.wrongName(token, order.cluster());
        }
        if (!ClusterIdentity.isUid(order.uid())) {
            throw FleetProblems.badCluster("'" + order.uid() + "' is no UID of a cluster");
        }
        if (others(order.uid()).stream()
                .anyMatch(other -> other.isMember() && other.name().equals(order.cluster()))) {
            throw FleetProblems.nameTaken(order.cluster());
        }
        return token;
    }

    private static boolean isEqual(String one, String other) {
        return MessageDigest.isEqual(
                one.getBytes(StandardCharsets.US_ASCII), other.getBytes(StandardCharsets.US_ASCII));
    }

    private Bounds bounds(JoinOrder order, StoredToken token) {
        for (var network : order.networks()) {
            if (!token.networks().isEmpty()) {
                if (!token.networks().contains(network)) {
                    throw FleetProblems.notInToken("network " + network, token);
                }
                continue;
            }
            FactCheck.ownerOf(network, others(order.uid())).ifPresent(owner -> {
                throw FleetProblems.networkTaken(network, owner);
            });
        }
        for (var trustDomain : order.trustDomains()) {
            if (!token.trustDomains().isEmpty() && !token.trustDomains().contains(trustDomain)) {
                throw FleetProblems.notInToken("trust domain " + trustDomain, token);
            }
        }
        return new Bounds(
                token.networks().isEmpty() ? order.networks() : token.networks(),
                token.trustDomains().isEmpty() ? order.trustDomains() : token.trustDomains(),
                token.labels());
    }

    private Collection<Registration> others(String uid) {
        return registrations.values().stream()
                .filter(other -> !other.uid().equals(uid))
                .toList();
    }

    /// Takes in what a member says of its gateways: the one that counts is accepted or rejected, and what was
    /// accepted before stays then. A member that has none any more is still a member.
    synchronized Receipt accept(String uid, Gateways said) {
        var known = registrations.get(uid);
        // what binds a network or a trust domain must not be bound by somebody else at the same moment
        return known != null && !said.facts().isEmpty() && (known.bounds().isOpen() || saysOtherRoots(known, said))
                ? exclusively(() -> take(uid, said))
                : take(uid, said);
    }

    private static boolean saysOtherRoots(Registration known, Gateways said) {
        var fact = said.facts().getFirst();
        return !fact.roots().isEmpty() && !fact.roots().equals(known.roots(fact.trustDomain()));
    }

    private Receipt take(String uid, Gateways said) {
        var before = registrations.get(uid);
        if (before == null || !before.isMember()) {
            throw FleetProblems.notMember();
        }
        if (said.version().compareTo(before.version()) <= 0) {
            return new Receipt(said.version(), all(said, "version-stale", "a later stream of the cluster said more"));
        }
        var rejected = new ArrayList<Rejection>();
        var next = before.heard(said.version());
        if (said.facts().isEmpty()) {
            next = before.gateway()
                    .map(fact -> before.saying(fact.in(GatewayFact.GatewayState.OFFLINE), said.version()))
                    .orElse(next);
        } else {
            var fact = said.facts().getFirst();
            var rejection = FactCheck.rejection(fact, before, policy.namespaces(), others(uid));
            if (rejection.isPresent()) {
                rejected.add(rejection.get());
            } else {
                var objection = objectionToRoots(fact, before);
                objection.ifPresent(rejected::add);
                var mayVouch = objection.isEmpty() && !fact.roots().isEmpty();
                // whoever does not say, or may not, takes nothing back
                var roots = mayVouch ? fact.roots() : before.roots(fact.trustDomain());
                var issuers = fact.issuers().isEmpty() ? before.issuers() : fact.issuers();
                next = before.saying(fact.vouchedFor(roots).signedBy(issuers), said.version());
            }
            said.facts().stream()
                    .skip(1)
                    .forEach(more -> rejected.add(
                            new Rejection(more.id(), "one-gateway", "the first gateway stands for the cluster")));
        }
        if (next.gateway().equals(before.gateway())) {
            registrations =
                    with(next); // the version is only needed while there are streams that could send an older one
        } else {
            keep(next);
        }
        return new Receipt(said.version(), rejected);
    }

    /// Nothing is said against what was accepted before.
    private Optional<Rejection> objectionToRoots(GatewayFact fact, Registration before) {
        return fact.roots().equals(before.roots(fact.trustDomain()))
                ? Optional.empty()
                : FactCheck.objectionToRoots(fact, others(before.uid()));
    }

    private static List<Rejection> all(Gateways said, String code, String reason) {
        return said.facts().stream()
                .map(fact -> new Rejection(fact.id(), code, reason))
                .toList();
    }

    /// Ends a membership. Its certificate is good for nothing from now on.
    synchronized Registration leave(String name) {
        return exclusively(() -> dismiss(name));
    }

    private Registration dismiss(String name) {
        var member = registrations.values().stream()
                .filter(registration ->
                        registration.isMember() && registration.name().equals(name))
                .findFirst()
                .orElseThrow(() -> FleetProblems.unknownCluster(name));
        var left = member.left();
        keep(left);
        return left;
    }

    private void keep(Registration registration) {
        store.keep(registrations.getOrDefault(registration.uid(), registration), registration);
        registrations = with(registration);
        listener.accept(registration.uid());
    }

    private Map<String, Registration> with(Registration registration) {
        var next = new HashMap<>(registrations);
        next.put(registration.uid(), registration);
        return Map.copyOf(next);
    }
}
