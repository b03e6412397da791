// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.gateway;

import io.fathom.control.gateway.Certificates.CertificateVerdict;
import io.fathom.control.gateway.Certificates.Referrer;
import io.fathom.control.gateway.ListenerVerdict.Faults;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.gateway.GatewayManifest.CertificateRef;
import io.fathom.wire.kube.gateway.GatewayManifest.Listener;
import io.fathom.wire.kube.gateway.GatewayManifest.RouteKind;
import io.fathom.wire.kube.gateway.GatewayManifest.Tls;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/// Looks at listeners of a Gateway one by one. Pure.
final class ListenerJudge {
    /// An option of a listener's TLS: what Istio's Gateways call a mode.
    static final String TERMINATE_MODE = "gateway.istio.io/tls-terminate-mode";

    private static final List<RouteKind> HTTP_KINDS = List.of(RouteKind.of("HTTPRoute"), RouteKind.of("GRPCRoute"));

    private final GatewayManifest gateway;
    private final GatewayProfile profile;
    private final Certificates certificates;

    /// What there is to say about things that a listener refers to.
    private static final class Refs {
        private Optional<Finding> objection = Optional.empty();
        private Optional<Finding> unusable = Optional.empty();
        private Optional<Finding> unresolved = Optional.empty();
        private Optional<CertificateRef> authority = Optional.empty();
        private Optional<String> unknown = Optional.empty();

        /// Something that the listener cannot do without.
        private void need(Optional<Finding> fault) {
            unusable = unusable.or(() -> fault);
            unresolved = unresolved.or(() -> fault);
        }

        /// @param invalid the reason for an object that cannot be used
        private Optional<Finding> finding(CertificateVerdict verdict, String invalid) {
            return switch (verdict) {
                case CertificateVerdict.Good() -> Optional.empty();
                case CertificateVerdict.Unknown(String why) -> {
                    unknown = unknown.or(() -> Optional.of(why));
                    yield Optional.empty();
                }
                case CertificateVerdict.Invalid(String why) -> Optional.of(Finding.bad(invalid, why));
                case CertificateVerdict.WrongKind(String why) ->
                    Optional.of(Finding.bad("InvalidCACertificateKind", why));
                case CertificateVerdict.Forbidden(String why) -> Optional.of(Finding.bad("RefNotPermitted", why));
            };
        }
    }

    ListenerJudge(GatewayManifest gateway, GatewayProfile profile, Certificates certificates) {
        this.gateway = gateway;
        this.profile = profile;
        this.certificates = certificates;
    }

    /// @param owner the object that the listeners are in
    /// @param set the same, if it is a ListenerSet
    List<ListenerVerdict> judge(
            Referrer owner, Optional<ObjectKey> set, List<ListenerConflicts.FoundConflict> listeners) {
        return listeners.stream()
                .map(found -> judge(
                        owner,
                        new ListenerKey(gateway.key(), set, found.listener().name()),
                        found.listener(),
                        found.conflict()))
                .toList();
    }

    private ListenerVerdict judge(Referrer owner, ListenerKey key, Listener listener, Optional<Finding> conflict) {
        var supported = supported(listener);
        var wanted = listener.allowedRoutes().kinds();
        var kinds = wanted.isEmpty()
                ? supported
                : wanted.stream().filter(supported::contains).toList();
        var refs = new Refs();
        addCertificates(listener, owner, refs);
        addAuthorities(listener, refs);
        addKinds(listener, supported, kinds, refs);
        return new ListenerVerdict(
                key,
                listener,
                kinds,
                new Faults(
                        objection(listener).or(() -> refs.objection),
                        conflict,
                        refs.unusable,
                        refs.unresolved,
                        silence(listener)),
                refs.authority,
                refs.unknown);
    }

    private static List<RouteKind> supported(Listener listener) {
        return switch (listener.protocol()) {
            case "HTTP", "HTTPS" -> HTTP_KINDS;
            case "TLS" ->
                listener.tls().filter(Tls::terminates).isPresent()
                        ? List.of(RouteKind.of("TLSRoute"), RouteKind.of("TCPRoute"))
                        : List.of(RouteKind.of("TLSRoute"));
            case "TCP" -> List.of(RouteKind.of("TCPRoute"));
            default -> List.of(); // routes attach to services behind a waypoint, not to its listener
        };
    }

    /// Whether Gateways of this class know such listeners.
    boolean isKnown(Listener listener) {
        return profile.protocols().contains(listener.protocol());
    }

    private Optional<Finding> objection(Listener listener) {
        return isKnown(listener)
                ? Optional.empty()
                : Optional.of(Finding.bad(
                        "UnsupportedProtocol",
                        "Gateways of this class know no protocol " + listener.protocol() + "; use one of "
                                + String.join(", ", new TreeSet<>(profile.protocols()))));
    }

    private Optional<Finding> silence(Listener listener) {
        return profile.serves(listener)
                ? Optional.empty()
                : Optional.of(Finding.bad(
                        "Invalid",
                        "proxies of class " + gateway.className() + " do not answer there; only HBONE on port 15008"
                                + (profile == GatewayProfile.EAST_WEST ? " and TLS that is passed through" : "")
                                + " is served"));
    }

    private void addCertificates(Listener listener, Referrer owner, Refs refs) {
        var tls = listener.tls().filter(Tls::terminates);
        if (tls.isEmpty()) {
            if (listener.protocol().equals("HTTPS")) {
                refs.need(Optional.of(Finding.bad("InvalidCertificateRef", "HTTPS needs tls.certificateRefs")));
            }
            return;
        }
        if (mode(tls.get()).equals("ISTIO_MUTUAL") || listener.protocol().equals("HBONE")) {
            return; // the mesh's own certificate
        }
        if (tls.get().certificates().isEmpty()) {
            refs.need(Optional.of(Finding.bad("InvalidCertificateRef", "tls.certificateRefs names no Secret")));
        }
        for (var reference : tls.get().certificates()) {
            refs.need(refs.finding(certificates.judge(owner, reference), "InvalidCertificateRef"));
        }
        if (isMutual(tls.get()) && refs.unusable.isEmpty()) {
            var first = tls.get().certificates().getFirst();
            refs.need(refs.finding(certificates.judgeBeside(owner, first), "InvalidCACertificateRef"));
        }
    }

    /// Those that the Gateway asks for, unless the listener has options of its own.
    private void addAuthorities(Listener listener, Refs refs) {
        var tls = listener.tls().filter(Tls::terminates);
        var isAsked = tls.isPresent()
                && mode(tls.get()).equals("SIMPLE")
                && !listener.protocol().equals("HBONE");
        var validation = gateway.clients().at(listener.port()).filter(_ -> isAsked);
        if (validation.isEmpty()) {
            return;
        }
        var self = new Referrer("Gateway", gateway.key());
        var wrong = new ArrayList<Finding>();
        for (var reference : validation.get().authorities()) {
            var fault = refs.finding(certificates.judgeAuthority(self, reference), "InvalidCACertificateRef");
            fault.ifPresentOrElse(wrong::add, () -> refs.authority = refs.authority.or(() -> Optional.of(reference)));
        }
        if (refs.authority.isEmpty()) {
            var why = wrong.stream()
                    .findFirst()
                    .orElseGet(() -> Finding.bad("InvalidCACertificateRef", "caCertificateRefs is empty"));
            refs.objection =
                    Optional.of(Finding.bad("NoValidCACertificate", "nobody vouches for clients: " + why.message()));
            wrong.add(why);
        }
        refs.unresolved = refs.unresolved.or(() -> wrong.stream().findFirst());
    }

    private static void addKinds(Listener listener, List<RouteKind> supported, List<RouteKind> kinds, Refs refs) {
        var wrong = listener.allowedRoutes().kinds().stream()
                .filter(kind -> !supported.contains(kind))
                .findFirst()
                .map(kind -> Finding.bad(
                        "InvalidRouteKinds",
                        "a listener of protocol " + listener.protocol() + " takes no " + kind.kind() + " of "
                                + kind.group()));
        if (kinds.isEmpty() && !supported.isEmpty()) {
            refs.need(wrong);
        } else {
            refs.unresolved = refs.unresolved.or(() -> wrong);
        }
    }

    static String mode(Tls tls) {
        return tls.options().getOrDefault(TERMINATE_MODE, "SIMPLE");
    }

    static boolean isMutual(Tls tls) {
        return mode(tls).equals("MUTUAL") || mode(tls).equals("OPTIONAL_MUTUAL");
    }
}
