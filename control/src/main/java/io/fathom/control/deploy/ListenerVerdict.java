package io.fathom.control.deploy;

import static io.fathom.control.deploy.GatewayStatus.no;
import static io.fathom.control.deploy.GatewayStatus.yes;

import io.fathom.control.ambient.Condition;
import io.fathom.control.deploy.Certificates.Verdict;
import io.fathom.control.deploy.GatewayStatus.ListenerStatus;
import io.fathom.wire.kube.GatewayManifest.Listener;
import io.fathom.wire.kube.GatewayManifest.RouteKind;
import io.fathom.wire.kube.GatewayManifest.Tls;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/// What there is to say about a listener, apart from whether its Gateway runs. Pure.
///
/// @param objection to the listener as such, a reason and a message
/// @param conflict with another listener
/// @param unresolved a reference that leads nowhere
record ListenerVerdict(
        Listener listener,
        List<RouteKind> kinds,
        Optional<Finding> objection,
        Optional<Finding> conflict,
        Optional<Finding> unresolved) {

    private static final List<RouteKind> HTTP_KINDS = List.of(RouteKind.of("HTTPRoute"), RouteKind.of("GRPCRoute"));

    /// A reason of the Gateway API, and our words.
    record Finding(String reason, String message) {}

    static List<ListenerVerdict> of(GatewayObject gateway, GatewayProfile profile, Certificates certificates) {
        return gateway.listeners().stream()
                .map(listener -> of(listener, gateway, profile, certificates))
                .toList();
    }

    private static ListenerVerdict of(
            Listener listener, GatewayObject gateway, GatewayProfile profile, Certificates certificates) {
        var supported = supported(listener);
        var wanted = listener.allowedRoutes().kinds();
        var kinds = wanted.isEmpty()
                ? supported
                : wanted.stream().filter(supported::contains).toList();
        return new ListenerVerdict(
                listener,
                kinds,
                objection(listener, profile),
                conflict(listener, gateway.listeners()),
                wrongCertificate(listener, gateway, certificates).or(() -> wrongKind(listener, supported)));
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

    private static Optional<Finding> objection(Listener listener, GatewayProfile profile) {
        return profile.protocols().contains(listener.protocol())
                ? Optional.empty()
                : Optional.of(new Finding(
                        "UnsupportedProtocol",
                        "Gateways of this class know no protocol " + listener.protocol() + "; use one of "
                                + String.join(", ", new TreeSet<>(profile.protocols()))));
    }

    /// Listeners of one port must be told apart by the first bytes of a client: by host name, or not at all.
    private static Optional<Finding> conflict(Listener listener, List<Listener> all) {
        for (var other : all) {
            if (other.name().equals(listener.name()) || other.port() != listener.port()) {
                continue;
            }
            if (!family(other).equals(family(listener))) {
                return Optional.of(new Finding(
                        "ProtocolConflict",
                        "listener " + other.name() + " speaks " + other.protocol() + " on the same port"));
            }
            if (other.hostname().equals(listener.hostname())) {
                return Optional.of(new Finding(
                        "HostnameConflict", "listener " + other.name() + " has the same port and host name"));
            }
        }
        return Optional.empty();
    }

    private static String family(Listener listener) {
        return listener.protocol().equals("HTTPS") ? "TLS" : listener.protocol();
    }

    private static Optional<Finding> wrongCertificate(
            Listener listener, GatewayObject gateway, Certificates certificates) {
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
        for (var reference : tls.get().certificates()) {
            switch (certificates.judge(gateway.namespace(), reference)) {
                case Verdict.Good() -> {}
                case Verdict.Invalid(String why) -> {
                    return Optional.of(new Finding("InvalidCertificateRef", why));
                }
                case Verdict.Forbidden(String why) -> {
                    return Optional.of(new Finding("RefNotPermitted", why));
                }
            }
        }
        return Optional.empty();
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

    boolean isAccepted() {
        return objection.isEmpty() && conflict.isEmpty();
    }

    /// Whether it can serve something.
    boolean isValid() {
        return isAccepted()
                && unresolved
                        .filter(finding -> !finding.reason().equals("InvalidRouteKinds") || kinds.isEmpty())
                        .isEmpty();
    }

    /// @param notRunning why the Gateway does not serve at all, if so
    ListenerStatus status(Optional<String> notRunning, int attachedRoutes) {
        var conditions = new ArrayList<Condition>();
        conditions.add(objection
                .or(() -> conflict)
                .map(finding -> no("Accepted", finding.reason(), finding.message()))
                .orElseGet(() -> yes("Accepted", "Accepted", "listener accepted")));
        conditions.add(conflict.map(finding -> yes("Conflicted", finding.reason(), finding.message()))
                .orElseGet(() -> no("Conflicted", "NoConflicts", "no other listener is in the way")));
        conditions.add(unresolved
                .map(finding -> no("ResolvedRefs", finding.reason(), finding.message()))
                .orElseGet(() -> yes("ResolvedRefs", "ResolvedRefs", "all references are good")));
        if (!isValid()) {
            conditions.add(no("Programmed", "Invalid", "see the other conditions"));
        } else {
            conditions.add(notRunning
                    .map(why -> no("Programmed", "Pending", why))
                    .orElseGet(() -> yes("Programmed", "Programmed", "listener serves")));
        }
        return new ListenerStatus(listener.name(), attachedRoutes, kinds, conditions);
    }
}
