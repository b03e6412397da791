package io.fathom.control.deploy;

import io.fathom.control.deploy.Certificates.Referrer;
import io.fathom.control.deploy.Certificates.Verdict;
import io.fathom.control.deploy.ListenerVerdict.Finding;
import io.fathom.wire.kube.GatewayManifest.Listener;
import io.fathom.wire.kube.GatewayManifest.RouteKind;
import io.fathom.wire.kube.GatewayManifest.Tls;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/// Looks at listeners of a Gateway one by one. Pure.
final class ListenerJudge {
    private static final List<RouteKind> HTTP_KINDS = List.of(RouteKind.of("HTTPRoute"), RouteKind.of("GRPCRoute"));

    private final GatewayObject gateway;
    private final GatewayProfile profile;
    private final Certificates certificates;

    /// What is wrong with those who should vouch for clients.
    ///
    /// @param objection when nobody is left
    private record Authorities(Optional<Finding> objection, Optional<Finding> unresolved) {
        static final Authorities GOOD = new Authorities(Optional.empty(), Optional.empty());
    }

    ListenerJudge(GatewayObject gateway, GatewayProfile profile, Certificates certificates) {
        this.gateway = gateway;
        this.profile = profile;
        this.certificates = certificates;
    }

    /// @param owner the object that the listeners are in
    List<ListenerVerdict> judge(Referrer owner, List<ListenerConflicts.Found> listeners) {
        return listeners.stream()
                .map(found -> judge(owner, found.listener(), found.conflict()))
                .toList();
    }

    private ListenerVerdict judge(Referrer owner, Listener listener, Optional<Finding> conflict) {
        var supported = supported(listener);
        var wanted = listener.allowedRoutes().kinds();
        var kinds = wanted.isEmpty()
                ? supported
                : wanted.stream().filter(supported::contains).toList();
        var authorities = authorities(listener);
        return new ListenerVerdict(
                listener,
                kinds,
                objection(listener).or(authorities::objection),
                conflict,
                wrongCertificate(listener, owner).or(authorities::unresolved).or(() -> wrongKind(listener, supported)));
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

    private Optional<Finding> objection(Listener listener) {
        return profile.protocols().contains(listener.protocol())
                ? Optional.empty()
                : Optional.of(new Finding(
                        "UnsupportedProtocol",
                        "Gateways of this class know no protocol " + listener.protocol() + "; use one of "
                                + String.join(", ", new TreeSet<>(profile.protocols()))));
    }

    private Optional<Finding> wrongCertificate(Listener listener, Referrer owner) {
        var tls = listener.tls().filter(Tls::terminates);
        if (tls.isEmpty()) {
            return listener.protocol().equals("HTTPS")
                    ? Optional.of(new Finding("InvalidCertificateRef", "HTTPS needs tls.certificateRefs"))
                    : Optional.empty();
        }
        if (tls.get().certificates().isEmpty()) {
            return tls.get().options().containsKey(Words.TERMINATE_MODE)
                            || listener.protocol().equals("HBONE")
                    ? Optional.empty() // the mesh's own certificate
                    : Optional.of(new Finding("InvalidCertificateRef", "tls.certificateRefs names no Secret"));
        }
        return tls.get().certificates().stream()
                .flatMap(reference -> finding(certificates.judge(owner, reference), "InvalidCertificateRef").stream())
                .findFirst();
    }

    /// Those that the Gateway asks for, unless the listener has options of its own.
    private Authorities authorities(Listener listener) {
        var tls = listener.tls().filter(Tls::terminates);
        var isAsked = tls.isPresent()
                && !tls.get().options().containsKey(Words.TERMINATE_MODE)
                && !listener.protocol().equals("HBONE");
        var validation = gateway.tls().at(listener.port()).filter(_ -> isAsked);
        if (validation.isEmpty()) {
            return Authorities.GOOD;
        }
        var wrong = new ArrayList<Finding>();
        for (var reference : validation.get().authorities()) {
            var verdict = certificates.judgeAuthority(new Referrer("Gateway", gateway.namespace()), reference);
            finding(verdict, "InvalidCACertificateRef").ifPresent(wrong::add);
        }
        if (wrong.size() < validation.get().authorities().size()) {
            return new Authorities(Optional.empty(), wrong.stream().findFirst());
        }
        var why = wrong.stream()
                .findFirst()
                .orElseGet(() -> new Finding("InvalidCACertificateRef", "caCertificateRefs is empty"));
        return new Authorities(
                Optional.of(new Finding("NoValidCACertificate", "nobody vouches for clients: " + why.message())),
                Optional.of(why));
    }

    /// @param invalid the reason for an object that cannot be used
    private static Optional<Finding> finding(Verdict verdict, String invalid) {
        return switch (verdict) {
            case Verdict.Good() -> Optional.empty();
            case Verdict.Invalid(String why) -> Optional.of(new Finding(invalid, why));
            case Verdict.WrongKind(String why) -> Optional.of(new Finding("InvalidCACertificateKind", why));
            case Verdict.Forbidden(String why) -> Optional.of(new Finding("RefNotPermitted", why));
        };
    }

    private static Optional<Finding> wrongKind(Listener listener, List<RouteKind> supported) {
        return listener.allowedRoutes().kinds().stream()
                .filter(kind -> !supported.contains(kind))
                .findFirst()
                .map(kind -> new Finding(
                        "InvalidRouteKinds",
                        "a listener of protocol " + listener.protocol() + " takes no " + kind.kind() + " of "
                                + kind.group()));
    }
}
