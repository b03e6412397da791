// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import static io.fathom.control.deploy.GatewayStatus.no;
import static io.fathom.control.deploy.GatewayStatus.yes;

import io.fathom.control.ambient.status.StatusCondition;
import io.fathom.control.deploy.GatewayRow.ProxyPresence;
import io.fathom.control.deploy.GatewayStatus.ListenerStatus;
import io.fathom.control.gateway.Finding;
import io.fathom.control.gateway.GatewayProfile;
import io.fathom.control.gateway.ListenerVerdict;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.gateway.GatewayManifest.Address;
import io.fathom.wire.kube.gateway.GatewayManifest.ClientValidation.Strictness;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// Decides what a Gateway's status says. Pure.
///
/// A Gateway gets addresses once a proxy of it is ready, and keeps them while its proxies restart or its new
/// configuration is refused: clients would lose their waypoint otherwise.
final class StatusPlanner {
    private static final Set<String> ADDRESS_TYPES = Set.of("IPAddress", "Hostname");

    private final String domain;
    private final Home home;

    /// Where Gateways are read from.
    enum Home {
        /// A cluster: we deploy proxies and their Services, and write where they are.
        CLUSTER,
        /// A folder: somebody else runs proxies, and writes their pods and addresses into files.
        FOLDER
    }

    StatusPlanner(String domain, Home home) {
        this.domain = domain;
        this.home = home;
    }

    /// What the Gateway says, and all who want to add to it.
    GatewayReport report(GatewaySight sight) {
        var row = sight.row();
        var status = status(sight);
        var sets = row.verdict().sets().stream()
                .map(set -> new GatewayReport.SetReport(set.set(), ListenerSetStatus.of(set, status, row::attached)))
                .toList();
        return new GatewayReport(row.verdict().gateway(), status, sets);
    }

    GatewayStatus status(GatewaySight sight) {
        var row = sight.row();
        var gateway = row.verdict().gateway();
        var verdicts = row.verdict().own();
        var accepted = accepted(sight, verdicts);
        var addresses = accepted.status() == StatusCondition.Status.TRUE ? addresses(sight) : gateway.statusAddresses();
        var programmed = accepted.status() == StatusCondition.Status.TRUE
                ? programmed(sight, addresses)
                : no("Programmed", programmedReason(accepted), "the Gateway is not accepted: " + accepted.message());
        var notRunning = programmed.status() == StatusCondition.Status.TRUE
                ? Optional.<String>empty()
                : Optional.of(programmed.message());
        var listeners = verdicts.stream()
                .map(verdict -> ListenerStatus.of(verdict, notRunning, row.attached(verdict.key())))
                .toList();
        var conditions = new ArrayList<>(List.of(accepted, programmed, resolved(row, verdicts)));
        insecure(gateway).ifPresent(conditions::add);
        var sets = row.verdict().sets().stream()
                .filter(set -> ListenerSetStatus.isAccepted(set, accepted))
                .count();
        return new GatewayStatus(conditions, addresses, listeners, (int) sets);
    }

    /// A warning, for as long as clients come in whom nobody vouches for.
    private static Optional<StatusCondition> insecure(GatewayManifest gateway) {
        return gateway.clients()
                .validations()
                .filter(validation -> validation.strictness() == Strictness.INSECURE_FALLBACK)
                .findFirst()
                .map(_ -> yes(
                        "InsecureFrontendValidationMode",
                        "ConfigurationChanged",
                        "clients without a valid certificate are let in; see spec.tls.frontend"));
    }

    private static String programmedReason(StatusCondition accepted) {
        return accepted.reason().equals("UnsupportedAddress") ? "UnsupportedAddress" : "Invalid";
    }

    private static StatusCondition accepted(GatewaySight sight, List<ListenerVerdict> verdicts) {
        var foreign = sight.row().verdict().gateway().specAddresses().stream()
                .filter(address -> !ADDRESS_TYPES.contains(address.type()))
                .findFirst();
        if (foreign.isPresent()) {
            return no(
                    "Accepted",
                    "UnsupportedAddress",
                    "addresses of type " + foreign.get().type() + " mean nothing here; use IPAddress or Hostname");
        }
        if (sight.refused().isPresent()) {
            return no("Accepted", "InvalidParameters", sight.refused().get().toString());
        }
        if (verdicts.stream().allMatch(ListenerVerdict::isValid)) {
            return yes("Accepted", "Accepted", "Gateway accepted");
        }
        return verdicts.stream().anyMatch(ListenerVerdict::isAccepted)
                ? yes("Accepted", "ListenersNotValid", "accepted, but some listeners are not valid")
                : no("Accepted", "ListenersNotValid", "no listener is valid");
    }

    private static StatusCondition resolved(GatewayRow row, List<ListenerVerdict> verdicts) {
        return Stream.concat(row.verdict().backend().stream(), unresolved(verdicts))
                .findFirst()
                .map(finding -> no("ResolvedRefs", finding.reason(), finding.message()))
                .orElseGet(() -> yes("ResolvedRefs", "ResolvedRefs", "all references are good"));
    }

    private static Stream<Finding> unresolved(List<ListenerVerdict> verdicts) {
        return verdicts.stream()
                .flatMap(verdict -> verdict.faults().unresolved().stream()
                        .map(finding -> Finding.bad(
                                finding.reason(),
                                "listener " + verdict.listener().name() + ": " + finding.message())));
    }

    /// Where it can be reached now.
    private List<Address> addresses(GatewaySight sight) {
        var row = sight.row();
        var gateway = row.verdict().gateway();
        if (row.verdict().profile() == GatewayProfile.REMOTE) {
            return gateway.specAddresses();
        }
        if (sight.failure().isPresent()) {
            return List.of();
        }
        if (home == Home.FOLDER) {
            return gateway.statusAddresses();
        }
        if (row.service().isEmpty() && DeployedGateway.isDeployedByAddress(gateway)) {
            return gateway.statusAddresses(); // somebody deleted it; it comes back
        }
        var hadSome = !gateway.statusAddresses().isEmpty();
        if (row.service().isEmpty() || (row.proxies() != ProxyPresence.READY && !hadSome)) {
            return List.of();
        }
        return assigned(row.verdict().profile(), row.service().get());
    }

    private List<Address> assigned(GatewayProfile profile, ServiceView service) {
        if (profile == GatewayProfile.WAYPOINT) {
            var all = new ArrayList<Address>();
            service.clusterIps().forEach(ip -> all.add(new Address("IPAddress", ip)));
            all.add(service.hostname(domain));
            return all;
        }
        return service.type() == ServiceManifest.Type.LOAD_BALANCER
                ? service.ingress()
                : List.of(service.hostname(domain));
    }

    private StatusCondition programmed(GatewaySight sight, List<Address> addresses) {
        var row = sight.row();
        var gateway = row.verdict().gateway();
        if (row.verdict().profile() == GatewayProfile.REMOTE) {
            return addresses.isEmpty()
                    ? no("Programmed", "AddressNotAssigned", "spec.addresses says where the gateway is; it is empty")
                    : yes("Programmed", "Programmed", "the gateway runs elsewhere");
        }
        if (sight.failure().isPresent()) {
            return no("Programmed", "Invalid", sight.failure().get().toString());
        }
        if (!row.unknown().isEmpty()) {
            return no("Programmed", "AddressNotUsable", "there is no Service " + String.join(", ", row.unknown()));
        }
        return home == Home.FOLDER ? playedBySomebody(row) : inCluster(row, gateway, addresses);
    }

    /// Pods that are ready; where no files tell of pods, an address that somebody wrote down.
    private static StatusCondition playedBySomebody(GatewayRow row) {
        return switch (row.proxies()) {
            case READY -> yes("Programmed", "Programmed", "a proxy of it is ready");
            case NOT_READY -> no("Programmed", "AddressNotAssigned", "no proxy of it is ready yet");
            case NONE ->
                row.verdict().gateway().statusAddresses().isEmpty()
                        ? no("Programmed", "AddressNotAssigned", "there is neither a pod of it nor an address")
                        : yes("Programmed", "Programmed", "its addresses are written down");
        };
    }

    private static StatusCondition inCluster(GatewayRow row, GatewayManifest gateway, List<Address> addresses) {
        if (row.service().isEmpty()) {
            return DeployedGateway.isDeployedByAddress(gateway)
                    ? no("Programmed", "AddressNotAssigned", "its Service is not there yet")
                    : no(
                            "Programmed",
                            "AddressNotUsable",
                            "there is no Service "
                                    + gateway.specAddresses().getFirst().value());
        }
        var service = row.service().get();
        var path = service.namespace() + "/" + service.name();
        if (addresses.isEmpty()) {
            return no(
                    "Programmed",
                    "AddressNotAssigned",
                    row.proxies() != ProxyPresence.READY
                            ? "no proxy of it is ready yet"
                            : "Service " + path + " has no address from a load balancer yet");
        }
        var missing = gateway.specAddresses().stream()
                .filter(wanted ->
                        wanted.type().equals("IPAddress") && !wanted.value().isEmpty() && !addresses.contains(wanted))
                .filter(_ -> DeployedGateway.isDeployedByAddress(gateway))
                .findFirst();
        return missing.map(wanted -> no(
                        "Programmed",
                        "AddressNotUsable",
                        "Service " + path + " did not get the address " + wanted.value()))
                .orElseGet(() -> yes("Programmed", "Programmed", "served by Service " + path));
    }
}
