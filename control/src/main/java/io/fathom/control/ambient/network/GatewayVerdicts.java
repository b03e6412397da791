// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.network;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Source;
import io.fathom.base.flow.Table;
import io.fathom.model.mesh.GatewayAddress.GatewayDestination;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.mesh.NetworkAddress;
import io.fathom.model.peering.Reachability;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// Where what is found out about gateways enters the flow: the addresses of those that are known by name, and whether
/// they can be reached. Any thread.
public final class GatewayVerdicts {
    private final Flow flow;
    private final Source<String, List<Ip>> names;
    private final Source<String, Reachability> verdicts;

    public GatewayVerdicts(Flow flow) {
        this.flow = flow;
        names = flow.source("gateways/names");
        verdicts = flow.source("gateways/verdicts");
    }

    /// The addresses of gateways that are known by name.
    public Table<String, List<Ip>> names() {
        return names;
    }

    /// What is known of one address of a gateway. Two Gateways may name the same one, and only one of them be right.
    public static String key(NetworkGateway gateway, IpPort address) {
        return gateway.gateway().cluster() + "/" + gateway.gateway().path() + "@" + address;
    }

    /// Replaces the addresses of names; what is the same as before is no news.
    public void resolved(Map<String, List<Ip>> found, Set<String> gone) {
        flow.update(update -> {
            found.forEach((host, ips) -> update.put(names, host, List.copyOf(ips)));
            gone.forEach(host -> update.remove(names, host));
        });
    }

    /// Replaces verdicts.
    ///
    /// @param found by [#key]; those that are fine need no row
    public void judged(Map<String, Reachability> found, Set<String> gone) {
        flow.update(update -> {
            found.forEach((key, verdict) -> update.put(verdicts, key, verdict));
            gone.forEach(key -> update.remove(verdicts, key));
        });
    }

    /// The addresses that a gateway is dialled at, and how good each is. A name that is not resolved has none.
    public Map<IpPort, Reachability> ways(Fetch<?> fetch, NetworkGateway gateway) {
        var dialled = gateway.dialled();
        var ips = switch (dialled.destination()) {
            case GatewayDestination.ByAddress(NetworkAddress address) ->
                address.block().isSingleAddress() ? List.of(address.block().address()) : List.<Ip>of();
            case GatewayDestination.ByHostname(var host) ->
                fetch.one(names, host.hostname()).orElse(List.of());
        };
        var ways = new TreeMap<IpPort, Reachability>(IpPort.ORDER);
        for (var ip : ips) {
            var way = new IpPort(ip, dialled.hbonePort());
            ways.put(way, fetch.one(verdicts, key(gateway, way)).orElse(Reachability.UNKNOWN));
        }
        return ways;
    }

    /// How good a gateway is as a whole: as its best address.
    public Reachability of(Fetch<?> fetch, NetworkGateway gateway) {
        return ways(fetch, gateway).values().stream()
                .min(Reachability::compareTo)
                .orElse(Reachability.UNKNOWN);
    }
}
