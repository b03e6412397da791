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

/// Who is a member, what each member said, and which tokens are out. One writer at a time; readers take the
/// snapshot. A change is on disk before anybody hears of it.
final class Fleet {
    private static final Duration TOKENS_REMEMBERED = Duration.ofDays(7);

    private final FleetStore store;
    private final FleetPolicy policy;
    private final InstantSource clock;
    private final SecureRandom random;
    private final Consumer<String> listener;
    private final Map<String, StoredToken> tokens = new HashMap<>();
    private volatile Map<String, Registration> registrations;

    /// @param listener gets the UID of each cluster that is different; must not block
    Fleet(FleetStore store, FleetPolicy policy, InstantSource clock, SecureRandom random, Consumer<String> listener) {
        this.store = store;
        this.policy = policy;
        this.clock = clock;
        this.random = random;
        this.listener = listener;
        var known = new HashMap<String, Registration>();
        store.registrations().forEach(registration -> known.put(registration.uid(), registration));
        this.registrations = Map.copyOf(known);
        store.tokens().forEach(token -> tokens.put(token.id(), token));
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
                clock.instant().plus(life),
                Optional.empty());
        store.keep(stored);
        tokens.put(stored.id(), stored);
        return token;
    }

    private void forgetOldTokens() {
        var old = tokens.values().stream()
                .filter(token -> token.expires().plus(TOKENS_REMEMBERED).isBefore(clock.instant()))
                .toList();
        for (var token : old) {
            store.forget(token);
            tokens.remove(token.id());
        }
    }

    /// How many tokens are good for something.
    synchronized long openTokens() {
        return tokens.values().stream()
                .filter(token -> token.usedBy().isEmpty() && clock.instant().isBefore(token.expires()))
                .count();
    }

    /// Makes a cluster a member and uses the token up. The same key may ask again with it: the answer may have been
    /// lost.
    ///
    /// @param key fingerprint of the agent's key
    synchronized Registration join(JoinOrder order, String key) {
        var token = check(order, key);
        var bounds = bounds(order, token);
        var before = Optional.ofNullable(registrations.get(order.uid()));
        var joined = new Registration(
                order.uid(),
                order.cluster(),
                before.map(Registration::handle).orElseGet(this::nextHandle),
                bounds,
                key,
                clock.instant(),
                ClusterStanding.MEMBER,
                before.filter(Registration::isMember).flatMap(Registration::gateway),
                before.map(Registration::version).orElse(FactVersion.NONE));
        var used = token.used(key);
        store.keep(used); // first: a token that is used up for nothing is replaced, one that is used twice is a breach
        tokens.put(used.id(), used);
        keep(joined);
        return joined;
    }

    private StoredToken check(JoinOrder order, String key) {
        var shown = JoinToken.parse(order.token()).orElseThrow(FleetProblems::unknownToken);
        var token = Optional.ofNullable(tokens.get(shown.id()))
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
                token.trustDomains().isEmpty() ? order.trustDomains() : token.trustDomains());
    }

    private int nextHandle() {
        return 1
                + registrations.values().stream()
                        .mapToInt(Registration::handle)
                        .max()
                        .orElse(0);
    }

    private Collection<Registration> others(String uid) {
        return registrations.values().stream()
                .filter(other -> !other.uid().equals(uid))
                .toList();
    }

    /// Takes in what a member says of its gateways: the one that counts is accepted or rejected, and what was
    /// accepted before stays then. A member that has none any more is still a member.
    synchronized Receipt accept(String uid, Gateways said) {
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
                next = before.saying(fact, said.version());
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

    private static List<Rejection> all(Gateways said, String code, String reason) {
        return said.facts().stream()
                .map(fact -> new Rejection(fact.id(), code, reason))
                .toList();
    }

    /// Ends a membership. Its certificate is good for nothing from now on.
    synchronized Registration leave(String name) {
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
        store.keep(registration);
        registrations = with(registration);
        listener.accept(registration.uid());
    }

    private Map<String, Registration> with(Registration registration) {
        var next = new HashMap<>(registrations);
        next.put(registration.uid(), registration);
        return Map.copyOf(next);
    }
}
