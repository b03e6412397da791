// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.gateway;

import io.fathom.control.gateway.Certificates.CertificateVerdict;
import io.fathom.control.gateway.Certificates.Referrer;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.gateway.ListenerSetManifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// What became of a Gateway of ours and of all who want to add listeners to it, apart from whether its proxies run.
///
/// @param own those of the Gateway
/// @param sets those that others want to add, the most important first
/// @param backend what is wrong with the certificate for backends, if it names one
public record GatewayVerdict(
        GatewayManifest gateway,
        GatewayProfile profile,
        List<ListenerVerdict> own,
        List<SetVerdict> sets,
        Optional<Finding> backend) {
    /// Whether the Gateway lets somebody add listeners.
    public enum Permission {
        ALLOWED,
        NOT_ALLOWED
    }

    /// What became of a ListenerSet.
    ///
    /// @param listeners empty when the set is not allowed
    public record SetVerdict(ListenerSetManifest set, Permission permission, List<ListenerVerdict> listeners) {
        public SetVerdict {
            listeners = List.copyOf(listeners);
        }
    }

    public GatewayVerdict {
        own = List.copyOf(own);
        sets = List.copyOf(sets);
    }

    /// Judges it. Pure.
    ///
    /// @param sets that name the Gateway, in any order
    /// @param allowed which of them it allows
    public static GatewayVerdict of(
            GatewayManifest gateway,
            List<ListenerSetManifest> sets,
            Predicate<ListenerSetManifest> allowed,
            GatewayProfile profile,
            Certificates certificates) {
        var judge = new ListenerJudge(gateway, profile, certificates);
        var conflicts = new ListenerConflicts(judge::isKnown);
        var own = judge.judge(self(gateway), Optional.empty(), conflicts.next(gateway.listeners()));
        var others = new ArrayList<SetVerdict>();
        sets.stream()
                .sorted(Comparator.comparing(ListenerSetManifest::metadata, Metadata.OLDEST_FIRST))
                .forEach(set -> others.add(
                        allowed.test(set)
                                ? new SetVerdict(
                                        set,
                                        Permission.ALLOWED,
                                        judge.judge(
                                                new Referrer(ListenerSetManifest.KIND, set.key()),
                                                Optional.of(set.key()),
                                                conflicts.next(set.listeners())))
                                : new SetVerdict(set, Permission.NOT_ALLOWED, List.of())));
        return new GatewayVerdict(gateway, profile, own, others, backend(gateway, certificates));
    }

    private static Referrer self(GatewayManifest gateway) {
        return new Referrer("Gateway", gateway.key());
    }

    private static Optional<Finding> backend(GatewayManifest gateway, Certificates certificates) {
        return gateway.clients().backend().flatMap(reference -> {
            var verdict = certificates.judge(self(gateway), reference);
            return switch (verdict) {
                case CertificateVerdict.Good(), CertificateVerdict.Unknown _ -> Optional.empty();
                case CertificateVerdict.Invalid(String why) ->
                    Optional.of(unusable("InvalidClientCertificateRef", why));
                case CertificateVerdict.WrongKind(String why) ->
                    Optional.of(unusable("InvalidClientCertificateRef", why));
                case CertificateVerdict.Forbidden(String why) -> Optional.of(unusable("RefNotPermitted", why));
            };
        });
    }

    private static Finding unusable(String reason, String why) {
        return Finding.bad(reason, "tls.backend.clientCertificateRef: " + why);
    }

    /// Those of the Gateway, then those of its sets.
    public Stream<ListenerVerdict> listeners() {
        return Stream.concat(own.stream(), sets.stream().flatMap(set -> set.listeners().stream()));
    }

    /// Those of them that proxies answer at.
    public Stream<ListenerVerdict> served() {
        return listeners().filter(ListenerVerdict::isServed);
    }

    public Optional<SetVerdict> set(ObjectKey key) {
        return sets.stream().filter(set -> set.set().key().equals(key)).findFirst();
    }

    /// What has not been read yet and counts.
    public Optional<String> unknown() {
        return listeners().flatMap(listener -> listener.unknown().stream()).findFirst();
    }

    /// Which of the hosts of a listener are left to it: one that another listener of its port names more specifically
    /// belongs to that one.
    boolean keeps(ListenerVerdict listener, String host) {
        return served().filter(
                        other -> other.listener().port() == listener.listener().port())
                .filter(other -> !other.host().equals(listener.host()))
                .noneMatch(other ->
                        Hostnames.covers(listener.host(), other.host()) && Hostnames.covers(other.host(), host));
    }
}
