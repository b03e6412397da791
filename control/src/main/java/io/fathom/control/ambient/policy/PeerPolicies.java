// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.policy;

import io.fathom.model.policy.Authorization;
import io.fathom.model.policy.Authorization.Group;
import io.fathom.model.policy.Authorization.Match;
import io.fathom.model.policy.Authorization.Rules;
import io.fathom.model.policy.StringMatch;
import io.fathom.wire.kube.manifest.Damage;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.security.PeerAuthenticationManifest;
import io.fathom.wire.kube.security.PeerAuthenticationManifest.Mode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Peer authentication as the node proxy can enforce it: policies that deny callers without an identity. Pure.
///
/// [#decide] is the only place that knows when a policy is needed. What is published and what workloads list both
/// follow from it, so a listed key always has its resource.
final class PeerPolicies {
    static final String STATIC_STRICT = "istio_converted_static_strict";
    private static final String CONVERTED_PREFIX = "converted_peer_authentication_";
    private static final List<StringMatch> ANYBODY = List.of(new StringMatch.Presence());
    private static final List<Group> WITHOUT_IDENTITY = List.of(new Group(List.of(withoutIdentity(List.of()))));

    /// Whose workloads a PeerAuthentication speaks for.
    enum PeerPolicyLevel {
        MESH,
        NAMESPACE,
        WORKLOAD,
        /// A selector in the root namespace speaks for nobody.
        NOBODY
    }

    /// What a workload has to enforce.
    sealed interface Enforcement {
        /// Callers need no identity on any port.
        record Open() implements Enforcement {}

        /// Callers need one on every port.
        record Strict() implements Enforcement {}

        /// It depends on the port.
        record ByPort(Authorization policy) implements Enforcement {}
    }

    private PeerPolicies() {}

    static PeerPolicyLevel level(PeerAuthenticationManifest peer, String rootNamespace) {
        var inRoot = peer.namespace().equals(rootNamespace);
        if (selector(peer).isEmpty()) {
            return inRoot ? PeerPolicyLevel.MESH : PeerPolicyLevel.NAMESPACE;
        }
        return inRoot ? PeerPolicyLevel.NOBODY : PeerPolicyLevel.WORKLOAD;
    }

    /// The labels a workload needs for this policy. A selector without labels selects every workload, like no selector.
    static Optional<Map<String, String>> selector(PeerAuthenticationManifest peer) {
        return peer.selector().filter(labels -> !labels.isEmpty());
    }

    /// Whether it counts for all of its namespace, before those with a selector and older ones.
    static boolean isOverriding(PeerAuthenticationManifest peer) {
        return peer.damage().filter(Damage::reachesAllOfNamespace).isPresent();
    }

    /// The one that counts among several of a level: the oldest.
    static Optional<PeerAuthenticationManifest> oldest(Collection<PeerAuthenticationManifest> sameLevel) {
        return sameLevel.stream()
                .min(Comparator.comparing(PeerAuthenticationManifest::metadata, Metadata.OLDEST_FIRST));
    }

    /// The mode of a workload that no policy selects. Never [Mode#UNSET].
    static Mode inherited(Optional<Mode> ofNamespace, Optional<Mode> ofMesh) {
        return ofNamespace
                .filter(PeerPolicies::isSet)
                .or(() -> ofMesh.filter(PeerPolicies::isSet))
                .orElse(Mode.PERMISSIVE);
    }

    /// What workloads without a policy of their own enforce.
    static Enforcement decide(Mode inherited) {
        return inherited == Mode.STRICT ? new Enforcement.Strict() : new Enforcement.Open();
    }

    /// What the workloads enforce that this policy selects, no older one among them.
    static Enforcement decide(PeerAuthenticationManifest peer, Mode inherited) {
        var mode = isSet(peer.mode()) ? peer.mode() : inherited;
        if (mode == Mode.STRICT) {
            var exempt = ports(peer, Set.of(Mode.PERMISSIVE, Mode.DISABLE));
            return exempt.isEmpty()
                    ? new Enforcement.Strict()
                    : new Enforcement.ByPort(
                            deny(peer.namespace(), CONVERTED_PREFIX + peer.name(), List.of(allPortsBut(exempt))));
        }
        var strict = ports(peer, Set.of(Mode.STRICT));
        return strict.isEmpty()
                ? new Enforcement.Open()
                : new Enforcement.ByPort(deny(
                        peer.namespace(),
                        CONVERTED_PREFIX + peer.name(),
                        strict.stream()
                                .map(port -> new Group(List.of(withoutIdentity(List.of(port)))))
                                .toList()));
    }

    /// The keys of the policies to list on a workload.
    static List<String> keys(Enforcement enforcement, String rootNamespace) {
        return switch (enforcement) {
            case Enforcement.Open() -> List.of();
            case Enforcement.Strict() -> List.of(rootNamespace + "/" + STATIC_STRICT);
            case Enforcement.ByPort(var policy) -> List.of(policy.key());
        };
    }

    /// The policy behind [Enforcement.Strict], for all workloads; it exists while any PeerAuthentication does.
    static Authorization staticStrict(String rootNamespace) {
        return deny(rootNamespace, STATIC_STRICT, WITHOUT_IDENTITY);
    }

    private static boolean isSet(Mode mode) {
        return mode != Mode.UNSET;
    }

    private static List<Integer> ports(PeerAuthenticationManifest peer, Set<Mode> modes) {
        return peer.portModes().entrySet().stream()
                .filter(port -> modes.contains(port.getValue()))
                .map(Map.Entry::getKey)
                .toList();
    }

    /// One rules entry per port: each must hold for the caller to be refused.
    private static Group allPortsBut(List<Integer> exempt) {
        var rules = new ArrayList<Rules>();
        rules.add(withoutIdentity(List.of()));
        for (var port : exempt) {
            var match = new MatchFields();
            match.notDestinationPorts = List.of(port);
            rules.add(rules(match.toMatch()));
        }
        return new Group(rules);
    }

    private static Rules withoutIdentity(List<Integer> onPorts) {
        var match = new MatchFields();
        match.notPrincipals = ANYBODY;
        match.destinationPorts = onPorts;
        return rules(match.toMatch());
    }

    private static Rules rules(Match match) {
        return new Rules(List.of(match));
    }

    private static Authorization deny(String namespace, String name, List<Group> groups) {
        return new Authorization(
                name,
                namespace,
                Authorization.Scope.WORKLOAD_SELECTOR,
                Authorization.Action.DENY,
                groups,
                Authorization.DryRun.NO);
    }
}
