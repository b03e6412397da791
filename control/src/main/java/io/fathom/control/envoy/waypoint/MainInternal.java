// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.waypoint;

import io.envoyproxy.envoy.config.accesslog.v3.AccessLogFilter;
import io.envoyproxy.envoy.config.core.v3.TrafficDirection;
import io.envoyproxy.envoy.config.listener.v3.Filter;
import io.envoyproxy.envoy.config.listener.v3.FilterChain;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.listener.v3.Listener.InternalListenerConfig;
import io.envoyproxy.envoy.config.listener.v3.ListenerFilter;
import io.envoyproxy.envoy.config.listener.v3.ListenerFilterChainMatchPredicate;
import io.envoyproxy.envoy.extensions.filters.listener.http_inspector.v3.HttpInspector;
import io.envoyproxy.envoy.extensions.filters.listener.tls_inspector.v3.TlsInspector;
import io.envoyproxy.envoy.extensions.filters.network.set_filter_state.v3.Config;
import io.envoyproxy.envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy;
import io.envoyproxy.envoy.type.v3.Int32Range;
import io.fathom.control.ambient.network.Entrances.Entrance;
import io.fathom.control.envoy.waypoint.ServicePart.PortPart;
import io.fathom.control.envoy.waypoint.ServicePart.PortPart.Encryption;
import io.fathom.control.envoy.waypoint.WaypointSettings.Workloads;
import io.fathom.model.mesh.Ip;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// What came out of a tunnel finds its service here. Connections that fit nothing are closed, which answers the tunnel
/// with 503, and logged.
final class MainInternal {
    static final String NAME = "main_internal";
    static final String DIRECT_HTTP = "direct-http";
    static final String DIRECT_TCP = "direct-tcp";
    /// A chain that nothing leads to: Envoy wants at least one.
    private static final String NOWHERE = "BlackHoleCluster";

    private final WaypointSettings settings;

    MainInternal(WaypointSettings settings) {
        this.settings = settings;
    }

    /// @param direct chains for workloads themselves, without what hands the address on
    /// @param entrance where calls of other networks come in, if they do
    Listener listener(List<ServicePart> parts, List<Ip> workloads, DirectChains direct, Optional<Entrance> entrance) {
        var unmatched = AccessLogFilter.newBuilder();
        unmatched.getResponseFlagFilterBuilder().addFlags("NR");
        var listener = Listener.newBuilder()
                .setName(NAME)
                .setInternalListener(InternalListenerConfig.getDefaultInstance())
                .setTrafficDirection(TrafficDirection.INBOUND)
                .addListenerFilters(Typed.originalDestination())
                .addAllListenerFilters(inspectors(parts))
                .addAccessLog(Typed.line(
                        unmatched.build(),
                        "[%START_TIME%] not served here: authority=%FILTER_STATE(" + FilterStates.AUTHORITY
                                + ":PLAIN)% dst=%DOWNSTREAM_LOCAL_ADDRESS% flags=%RESPONSE_FLAGS%"));
        settings.traffic()
                .protocolDetection()
                .ifPresent(wait -> listener.setListenerFiltersTimeout(Typed.duration(wait))
                        .setContinueOnListenerFiltersTimeout(!wait.isZero()));
        var names = new HashSet<String>();
        parts.forEach(part -> part.ports().forEach(port -> {
            port.http().filter(chain -> names.add(chain.getName())).ifPresent(listener::addFilterChains);
            port.tcp().filter(chain -> names.add(chain.getName())).ifPresent(listener::addFilterChains);
            port.detour()
                    .map(Detour::chain)
                    .filter(chain -> names.add(chain.getName()))
                    .ifPresent(listener::addFilterChains);
        }));
        if (servesWorkloads()) {
            listener.addFilterChains(sharing(DIRECT_TCP, direct.tcp()));
            listener.addFilterChains(sharing(DIRECT_HTTP, direct.http()));
        } else if (names.isEmpty()) {
            listener.addFilterChains(nowhere());
        }
        var targets = servesWorkloads() ? workloads : List.<Ip>of();
        return listener.setFilterChainMatcher(new Dispatch(settings).matcher(parts, targets, NOWHERE, entrance))
                .build();
    }

    private boolean servesWorkloads() {
        return settings.workloads() == Workloads.SERVED;
    }

    private static FilterChain sharing(String name, List<Filter> filters) {
        var share = Config.newBuilder().addOnNewConnection(FilterStates.again()).build();
        return FilterChain.newBuilder()
                .setName(name)
                .addFilters(Typed.network("connect_authority", share))
                .addAllFilters(filters)
                .build();
    }

    static FilterChain nowhere() {
        var proxy =
                TcpProxy.newBuilder().setStatPrefix(NOWHERE).setCluster(NOWHERE).build();
        return FilterChain.newBuilder()
                .setName(NOWHERE)
                .addFilters(Typed.network("envoy.filters.network.tcp_proxy", proxy))
                .build();
    }

    private List<ListenerFilter> inspectors(List<ServicePart> parts) {
        var http = new TreeSet<Integer>();
        var other = new TreeSet<Integer>();
        var tls = new TreeSet<Integer>();
        for (var part : parts) {
            for (var port : part.ports()) {
                collect(port, http, other, tls);
            }
        }
        var result = new ArrayList<ListenerFilter>();
        var known = new TreeSet<>(http);
        known.addAll(other);
        known.removeIf(port -> http.contains(port) && other.contains(port));
        var sniffing = Typed.listener("envoy.filters.listener.http_inspector", HttpInspector.getDefaultInstance());
        var everyPortKnown = !servesWorkloads() && http.stream().noneMatch(other::contains);
        if (known.isEmpty() || servesWorkloads()) {
            result.add(sniffing);
        } else if (!everyPortKnown) {
            result.add(sniffing.toBuilder().setFilterDisabled(anyOf(known)).build());
        }
        if (!tls.isEmpty()) {
            var others = ListenerFilterChainMatchPredicate.newBuilder().setNotMatch(anyOf(tls));
            result.add(
                    Typed.listener("envoy.filters.listener.tls_inspector", TlsInspector.getDefaultInstance())
                            .toBuilder()
                            .setFilterDisabled(others)
                            .build());
        }
        return result;
    }

    private static void collect(PortPart port, Set<Integer> http, Set<Integer> other, Set<Integer> tls) {
        if (port.http().isPresent()) {
            http.add(port.number());
        }
        if (port.tcp().isPresent()) {
            other.add(port.number());
        }
        if (port.encryption() == Encryption.TLS) {
            tls.add(port.number());
        }
    }

    private static ListenerFilterChainMatchPredicate anyOf(Collection<Integer> ports) {
        var rules = ports.stream()
                .map(port -> ListenerFilterChainMatchPredicate.newBuilder()
                        .setDestinationPortRange(
                                Int32Range.newBuilder().setStart(port).setEnd(port + 1))
                        .build())
                .toList();
        if (rules.size() == 1) {
            return rules.getFirst();
        }
        var any = ListenerFilterChainMatchPredicate.newBuilder();
        any.getOrMatchBuilder().addAllRules(rules);
        return any.build();
    }
}
