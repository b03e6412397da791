package io.fathom.control.deploy;

import static io.fathom.control.deploy.GatewayStatus.no;
import static io.fathom.control.deploy.GatewayStatus.yes;

import io.fathom.control.ambient.Condition;
import io.fathom.control.deploy.GatewaySight.Proxies;
import io.fathom.control.deploy.GatewayStatus.ListenerStatus;
import io.fathom.control.deploy.ListenerVerdict.Finding;
import io.fathom.wire.kube.GatewayManifest.Address;
import io.fathom.wire.kube.GatewayManifest.ClientValidation.Strictness;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

/// Decides what a Gateway's status says. Pure.
///
/// A Gateway gets addresses once a proxy of it is ready, and keeps them while its proxies restart or its new
/// configuration is refused: clients would lose their waypoint otherwise.
final class StatusPlanner {
    private static final Set<String> ADDRESS_TYPES = Set.of("IPAddress", "Hostname");

    private final String domain;

    StatusPlanner(String domain) {
        this.domain = domain;
    }

    /// @param attachedRoutes by the name of a listener
    GatewayStatus status(GatewaySight sight, ToIntFunction<String> attachedRoutes) {
        var gateway = sight.gateway();
        var verdicts = sight.listeners();
        var accepted = accepted(sight, verdicts);
        var addresses = accepted.status() == Condition.Status.TRUE ? addresses(sight) : gateway.statusAddresses();
        var programmed = accepted.status() == Condition.Status.TRUE
                ? programmed(sight, addresses)
                : no("Programmed", programmedReason(accepted), "the Gateway is not accepted: " + accepted.message());
        var notRunning = programmed.status() == Condition.Status.TRUE
                ? Optional.<String>empty()
                : Optional.of(programmed.message());
        var listeners = new ArrayList<ListenerStatus>();
        for (var verdict : verdicts) {
            var name = verdict.listener().name();
            listeners.add(verdict.status(notRunning, attachedRoutes.applyAsInt(name)));
        }
        var conditions = new ArrayList<>(List.of(accepted, programmed, resolved(sight, verdicts)));
        insecure(sight).ifPresent(conditions::add);
        var sets = sight.sets().stream()
                .filter(set -> ListenerSetStatus.isAccepted(set, accepted))
                .count();
        return new GatewayStatus(conditions, addresses, listeners, (int) sets);
    }

    /// A warning, for as long as clients come in whom nobody vouches for.
    private static Optional<Condition> insecure(GatewaySight sight) {
        return sight.gateway()
                .tls()
                .validations()
                .filter(validation -> validation.strictness() == Strictness.INSECURE_FALLBACK)
                .findFirst()
                .map(_ -> yes(
                        "InsecureFrontendValidationMode",
                        "ConfigurationChanged",
                        "clients without a valid certificate are let in; see spec.tls.frontend"));
    }

    private static String programmedReason(Condition accepted) {
        return accepted.reason().equals("UnsupportedAddress") ? "UnsupportedAddress" : "Invalid";
    }

    private static Condition accepted(GatewaySight sight, List<ListenerVerdict> verdicts) {
        var foreign = sight.gateway().addresses().stream()
                .filter(address -> !ADDRESS_TYPES.contains(address.type()))
                .findFirst();
        if (foreign.isPresent()) {
            return no(
                    "Accepted",
                    "UnsupportedAddress",
                    "addresses of type " + foreign.get().type() + " mean nothing here; use IPAddress or Hostname");
        }
        if (sight.plan() instanceof Plan.Refused refused) {
            return no("Accepted", "InvalidParameters", refused.problem().toString());
        }
        if (verdicts.stream().allMatch(ListenerVerdict::isValid)) {
            return yes("Accepted", "Accepted", "Gateway accepted");
        }
        return verdicts.stream().anyMatch(ListenerVerdict::isAccepted)
                ? yes("Accepted", "ListenersNotValid", "accepted, but some listeners are not valid")
                : no("Accepted", "ListenersNotValid", "no listener is valid");
    }

    private static Condition resolved(GatewaySight sight, List<ListenerVerdict> verdicts) {
        return Stream.concat(sight.unresolved().stream(), unresolved(verdicts))
                .findFirst()
                .map(finding -> no("ResolvedRefs", finding.reason(), finding.message()))
                .orElseGet(() -> yes("ResolvedRefs", "ResolvedRefs", "all references are good"));
    }

    private static Stream<Finding> unresolved(List<ListenerVerdict> verdicts) {
        return verdicts.stream()
                .flatMap(verdict -> verdict.unresolved().stream()
                        .map(finding -> new Finding(
                                finding.reason(),
                                "listener " + verdict.listener().name() + ": " + finding.message())));
    }

    /// Where it can be reached now.
    private List<Address> addresses(GatewaySight sight) {
        var gateway = sight.gateway();
        if (sight.profile() == GatewayProfile.REMOTE) {
            return gateway.addresses();
        }
        if (sight.failure().isPresent()) {
            return List.of();
        }
        if (sight.service().isEmpty() && gateway.isDeployedByAddress()) {
            return gateway.statusAddresses(); // somebody deleted it; it comes back
        }
        var hadSome = !gateway.statusAddresses().isEmpty();
        if (sight.service().isEmpty() || (sight.proxies() == Proxies.NOT_READY && !hadSome)) {
            return List.of();
        }
        return assigned(sight.profile(), sight.service().get());
    }

    private List<Address> assigned(GatewayProfile profile, ServiceView service) {
        if (profile == GatewayProfile.WAYPOINT) {
            var all = new ArrayList<Address>();
            service.clusterIps().forEach(ip -> all.add(new Address("IPAddress", ip)));
            all.add(service.hostname(domain));
            return all;
        }
        return service.type().equals("LoadBalancer") ? service.ingress() : List.of(service.hostname(domain));
    }

    private Condition programmed(GatewaySight sight, List<Address> addresses) {
        var gateway = sight.gateway();
        if (sight.profile() == GatewayProfile.REMOTE) {
            return addresses.isEmpty()
                    ? no("Programmed", "AddressNotAssigned", "spec.addresses says where the gateway is; it is empty")
                    : yes("Programmed", "Programmed", "the gateway runs elsewhere");
        }
        if (sight.failure().isPresent()) {
            return no("Programmed", "Invalid", sight.failure().get().toString());
        }
        if (!sight.unknown().isEmpty()) {
            return no("Programmed", "AddressNotUsable", "there is no Service " + String.join(", ", sight.unknown()));
        }
        if (sight.service().isEmpty()) {
            return gateway.isDeployedByAddress()
                    ? no("Programmed", "AddressNotAssigned", "its Service is not there yet")
                    : no(
                            "Programmed",
                            "AddressNotUsable",
                            "there is no Service "
                                    + gateway.addresses().getFirst().value());
        }
        var service = sight.service().get();
        var path = service.namespace() + "/" + service.name();
        if (addresses.isEmpty()) {
            return no(
                    "Programmed",
                    "AddressNotAssigned",
                    sight.proxies() == Proxies.NOT_READY
                            ? "no proxy of it is ready yet"
                            : "Service " + path + " has no address from a load balancer yet");
        }
        var missing = gateway.addresses().stream()
                .filter(wanted ->
                        wanted.type().equals("IPAddress") && !wanted.value().isEmpty() && !addresses.contains(wanted))
                .filter(_ -> gateway.isDeployedByAddress())
                .findFirst();
        return missing.map(wanted -> no(
                        "Programmed",
                        "AddressNotUsable",
                        "Service " + path + " did not get the address " + wanted.value()))
                .orElseGet(() -> yes("Programmed", "Programmed", "served by Service " + path));
    }
}
