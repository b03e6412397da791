// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.ingress;

import io.envoyproxy.envoy.config.route.v3.DirectResponseAction;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteMatch;
import io.envoyproxy.envoy.config.route.v3.VirtualHost;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Sends requests away that come over a connection of another listener: a client that has a connection for one host may
/// use it for any other that the certificate is good for, but the listener of that host may ask for more. Pure.
public final class Misdirected {
    private static final int STATUS = 421; // the client tries again with a connection of its own

    private final int port;
    private final List<String> own;
    private final List<String> others;

    /// @param own host names of the listener, `*` for all
    /// @param others host names of the other listeners on its port
    public Misdirected(int port, List<String> own, List<String> others) {
        this.port = port;
        this.own = List.copyOf(own);
        this.others = List.copyOf(others);
    }

    /// What the listener serves, without the hosts that others are more specific about; these are answered instead.
    public List<VirtualHost> guard(List<VirtualHost> hosts) {
        if (others.isEmpty()) {
            return hosts;
        }
        var guarded = new ArrayList<VirtualHost>();
        var served = new HashSet<String>();
        for (var host : hosts) {
            var domains = host.getDomainsList().stream().filter(this::isOwn).toList();
            if (!domains.isEmpty()) {
                served.addAll(domains);
                guarded.add(
                        host.toBuilder().clearDomains().addAllDomains(domains).build());
            }
        }
        add(guarded, served, own, VirtualHost.newBuilder().setName("unrouted:" + port)); // 404
        add(
                guarded,
                served,
                others,
                VirtualHost.newBuilder().setName("misdirected:" + port).addRoutes(answer()));
        return guarded;
    }

    private static void add(List<VirtualHost> hosts, Set<String> served, List<String> names, VirtualHost.Builder host) {
        var rest = names.stream().filter(served::add).toList();
        if (!rest.isEmpty()) {
            hosts.add(host.addAllDomains(rest).build());
        }
    }

    private static Route answer() {
        return Route.newBuilder()
                .setName("misdirected")
                .setMatch(RouteMatch.newBuilder().setPrefix("/"))
                .setDirectResponse(DirectResponseAction.newBuilder().setStatus(STATUS))
                .build();
    }

    /// Whether no other listener is more specific about a host.
    private boolean isOwn(String domain) {
        return specific(domain, others).isEmpty()
                || specific(domain, own).orElse(-1) >= specific(domain, others).orElse(-1);
    }

    /// How much of a host is named; empty when none of the names means it.
    private static Optional<Integer> specific(String domain, List<String> names) {
        return names.stream()
                .filter(name -> covers(name, domain))
                .map(name -> name.startsWith("*") ? name.length() - 1 : Integer.MAX_VALUE)
                .max(Integer::compare);
    }

    private static boolean covers(String name, String domain) {
        return name.equals("*") || name.equals(domain) || (name.startsWith("*.") && domain.endsWith(name.substring(1)));
    }

    /// The host names of the other listeners on a port of the Gateway API; none for other servers.
    public static List<String> others(PortPlan plan, IngressServer server) {
        if (!server.origin().isListener() || !server.traffic().isTls()) {
            return List.of();
        }
        return plan.claims().stream()
                .filter(claim ->
                        claim.server().origin().isListener() && !claim.server().equals(server))
                .flatMap(claim -> claim.hostnames().stream())
                .toList();
    }
}
