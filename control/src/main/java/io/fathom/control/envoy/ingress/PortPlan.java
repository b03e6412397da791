// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.ingress;

import io.fathom.base.lang.Problem;
import io.fathom.wire.kube.ManifestId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/// A port of an ingress proxy and the servers that share it, told apart by the first bytes of a client. Pure.
///
/// Whoever comes first has a port's kind and a host name on it; those who come later and want the same are left out.
///
/// @param claims in the order of the servers
public record PortPlan(String bind, int port, Family family, List<Claim> claims) {
    /// What clients begin with.
    public enum Family {
        HTTP,
        TLS,
        TCP
    }

    /// A server with the host names that are its own on this port.
    public record Claim(IngressServer server, List<String> hostnames) {
        public Claim {
            hostnames = List.copyOf(hostnames);
        }
    }

    /// Something that is not served.
    public record Conflict(ManifestId owner, String server, Problem problem) {}

    /// All ports, and what does not fit.
    public record PlannedPorts(List<PortPlan> plans, List<Conflict> conflicts) {
        public PlannedPorts {
            plans = List.copyOf(plans);
            conflicts = List.copyOf(conflicts);
        }
    }

    private record Address(String bind, int port) {}

    public PortPlan {
        claims = List.copyOf(claims);
    }

    /// Divides servers among ports.
    ///
    /// @param servers the most important first
    public static PlannedPorts of(List<IngressServer> servers) {
        var byPort = new LinkedHashMap<Address, List<IngressServer>>();
        servers.forEach(
                server -> byPort.computeIfAbsent(new Address(server.bind(), server.port()), _ -> new ArrayList<>())
                        .add(server));
        var plans = new ArrayList<PortPlan>();
        var conflicts = new ArrayList<Conflict>();
        byPort.forEach((address, sharing) -> plans.add(plan(address, sharing, conflicts)));
        return new PlannedPorts(plans, conflicts);
    }

    private static PortPlan plan(Address address, List<IngressServer> servers, List<Conflict> conflicts) {
        var family = family(servers.getFirst());
        var claims = new ArrayList<Claim>();
        var taken = new HashSet<String>();
        var listeners = new HashSet<List<String>>();
        for (var server : servers) {
            if (family(server) != family) {
                conflicts.add(conflict(server, "ingress-port-conflict", servers.getFirst(), "another kind of traffic"));
            } else if (family == Family.TCP && !claims.isEmpty()) {
                conflicts.add(conflict(server, "ingress-port-conflict", servers.getFirst(), "all connections"));
            } else if (family == Family.TLS) {
                claim(server, taken, claims, conflicts);
            } else if (server.origin().isListener() && !listeners.add(server.hostnames())) {
                conflicts.add(
                        conflict(server, "ingress-host-conflict", first(server, claims), "host " + server.hostnames()));
            } else {
                claims.add(new Claim(server, server.hostnames())); // route tables of HTTP are merged
            }
        }
        return new PortPlan(address.bind(), address.port(), family, claims);
    }

    private static void claim(IngressServer server, Set<String> taken, List<Claim> claims, List<Conflict> conflicts) {
        var own = server.hostnames().stream().filter(taken::add).toList();
        if (own.isEmpty()) {
            conflicts.add(
                    conflict(server, "ingress-host-conflict", first(server, claims), "host " + server.hostnames()));
        } else {
            claims.add(new Claim(server, own));
        }
    }

    /// Who has what it wants.
    private static IngressServer first(IngressServer server, List<Claim> claims) {
        return claims.stream()
                .filter(claim -> claim.hostnames().contains(server.hostnames().getFirst()))
                .map(Claim::server)
                .findFirst()
                .orElse(server);
    }

    private static Conflict conflict(IngressServer server, String code, IngressServer first, String what) {
        var message = "%s of %s is not served: %s of %s has %s on port %d"
                .formatted(
                        server.name(),
                        server.gateway().path(),
                        first.name(),
                        first.gateway().path(),
                        what,
                        server.port());
        return new Conflict(
                server.owner(), server.name(), Problem.ofInput(code, message, "use another port or other hosts"));
    }

    private static Family family(IngressServer server) {
        return switch (server.traffic()) {
            case HTTP -> Family.HTTP;
            case TCP -> Family.TCP;
            case HTTPS, TLS, PASSTHROUGH, AUTO_PASSTHROUGH -> Family.TLS;
        };
    }

    /// With other servers in the place of some, or nothing.
    public PortPlan with(Function<IngressServer, Optional<IngressServer>> replacement) {
        var others = new ArrayList<Claim>();
        for (var claim : claims) {
            replacement
                    .apply(claim.server())
                    .map(server -> server.equals(claim.server()) ? claim : new Claim(server, server.hostnames()))
                    .ifPresent(others::add);
        }
        return new PortPlan(bind, port, family, others);
    }

    /// The route tables that it needs, each with the servers that share it.
    public Map<String, List<IngressServer>> routeTables() {
        var tables = new LinkedHashMap<String, List<IngressServer>>();
        for (var claim : claims) {
            if (claim.server().traffic().isHttp()) {
                tables.computeIfAbsent(claim.server().routeTable(), _ -> new ArrayList<>())
                        .add(claim.server());
            }
        }
        return tables;
    }
}
