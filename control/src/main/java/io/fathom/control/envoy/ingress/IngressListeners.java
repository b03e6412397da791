// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.ingress;

import com.google.protobuf.Any;
import com.google.protobuf.BoolValue;
import com.google.protobuf.Duration;
import com.google.protobuf.UInt32Value;
import io.envoyproxy.envoy.config.core.v3.Address;
import io.envoyproxy.envoy.config.core.v3.SocketAddress;
import io.envoyproxy.envoy.config.core.v3.TrafficDirection;
import io.envoyproxy.envoy.config.listener.v3.AdditionalAddress;
import io.envoyproxy.envoy.config.listener.v3.FilterChain;
import io.envoyproxy.envoy.config.listener.v3.FilterChainMatch;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.listener.v3.ListenerFilter;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.config.route.v3.VirtualHost;
import io.envoyproxy.envoy.extensions.filters.listener.proxy_protocol.v3.ProxyProtocol;
import io.envoyproxy.envoy.extensions.filters.listener.tls_inspector.v3.TlsInspector;
import io.fathom.control.envoy.ingress.IngressServer.ServerTraffic;
import io.fathom.control.envoy.ingress.PortPlan.Claim;
import io.fathom.control.envoy.ingress.PortPlan.Family;
import io.fathom.control.envoy.ingress.ServerSecurity.Authorities;
import io.fathom.control.envoy.ingress.ServerSecurity.Proof;
import io.fathom.control.envoy.sds.SecretSources;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/// The listeners of a group of ingress proxies, one for each port, and what they name: route tables and certificates.
/// Pure: the same arguments give the same resources.
public final class IngressListeners {
    private static final int CLIENT_HELLO = 512;
    private static final int HANDSHAKE_SECONDS = 15;

    private final IngressProxy proxy;
    private final ChainParts parts;

    public IngressListeners(IngressProxy proxy, ChainParts parts) {
        this.proxy = proxy;
        this.parts = parts;
    }

    /// Empty for a port that the proxy may not open, or that nothing can be served on: nobody listens there.
    ///
    /// @param streams where a server's connections go when no requests are read; several only with TLS
    public Optional<Listener> listener(PortPlan plan, Function<IngressServer, List<StreamRoute>> streams) {
        if (!proxy.mayOpen(plan.port())) {
            return Optional.empty();
        }
        var chains = chains(plan, streams);
        if (chains.isEmpty()) {
            return Optional.empty();
        }
        var addresses = addresses(plan);
        var listener = Listener.newBuilder()
                .setName(name(plan))
                .setAddress(address(addresses.getFirst(), plan.port()))
                .setTrafficDirection(TrafficDirection.OUTBOUND)
                .addAllFilterChains(chains);
        addresses.stream()
                .skip(1)
                .forEach(other -> listener.addAdditionalAddresses(
                        AdditionalAddress.newBuilder().setAddress(address(other, plan.port()))));
        if (proxy.topology().proxyProtocol() == Topology.ProxyProtocol.SPOKEN) {
            listener.addListenerFilters(
                    filter("envoy.filters.listener.proxy_protocol", Any.pack(ProxyProtocol.getDefaultInstance())));
        }
        if (plan.family() == Family.TLS) {
            var inspector = TlsInspector.newBuilder().setInitialReadBufferSize(UInt32Value.of(CLIENT_HELLO));
            listener.addListenerFilters(filter("envoy.filters.listener.tls_inspector", Any.pack(inspector.build())));
        }
        return Optional.of(listener.build());
    }

    /// How the listener of a port is called, whether there is one or not.
    public String name(PortPlan plan) {
        return addresses(plan).getFirst() + "_" + plan.port();
    }

    private List<String> addresses(PortPlan plan) {
        return plan.bind().isEmpty() ? proxy.addresses() : List.of(plan.bind());
    }

    private List<FilterChain> chains(PortPlan plan, Function<IngressServer, List<StreamRoute>> streams) {
        var http = new IngressHttp(proxy, parts);
        var taken = new HashSet<String>();
        var chains = new ArrayList<FilterChain>();
        for (var claim : plan.claims()) {
            var server = claim.server();
            switch (server.traffic()) {
                case HTTP -> {
                    if (chains.isEmpty()) { // one for all: the route table tells hosts apart
                        chains.add(FilterChain.newBuilder()
                                .addFilters(http.manager(plan, server.routeTable()))
                                .build());
                    }
                }
                case HTTPS ->
                    match(claim.hostnames(), taken)
                            .ifPresent(match -> chains.add(secured(server)
                                    .setName(server.routeTable())
                                    .setFilterChainMatch(match)
                                    .addFilters(http.manager(plan, server.routeTable()))
                                    .build()));
                case TCP, TLS, PASSTHROUGH, AUTO_PASSTHROUGH -> streams(claim, streams.apply(server), taken, chains);
            }
        }
        return chains;
    }

    private void streams(Claim claim, List<StreamRoute> routes, Set<String> taken, List<FilterChain> chains) {
        var server = claim.server();
        for (var route : routes) {
            var names = route.serverNames().isEmpty() ? claim.hostnames() : route.serverNames();
            match(server.traffic() == ServerTraffic.TCP ? List.of("*") : names, taken)
                    .ifPresent(match -> chains.add(secured(server)
                            .setName(route.name())
                            .setFilterChainMatch(match)
                            .addAllFilters(parts.network())
                            .addFilters(IngressStreams.proxy(route, parts))
                            .build()));
        }
    }

    /// Empty when others have all of the names: Envoy refuses a listener with two chains for one name.
    private static Optional<FilterChainMatch> match(List<String> names, Set<String> taken) {
        var own = new LinkedHashSet<String>();
        names.stream().filter(taken::add).forEach(own::add);
        if (own.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                own.contains("*")
                        ? FilterChainMatch.getDefaultInstance()
                        : FilterChainMatch.newBuilder().addAllServerNames(own).build());
    }

    private FilterChain.Builder secured(IngressServer server) {
        var chain = FilterChain.newBuilder();
        server.security()
                .ifPresent(security -> chain.setTransportSocket(
                                ServerTlsContexts.socket(security, server.traffic(), proxy))
                        .setTransportSocketConnectTimeout(Duration.newBuilder().setSeconds(HANDSHAKE_SECONDS)));
        return chain;
    }

    /// A route table; one without hosts answers everything with 404.
    public static RouteConfiguration routes(String name, int port, List<VirtualHost> hosts) {
        var table = RouteConfiguration.newBuilder()
                .setName(name)
                .setValidateClusters(BoolValue.of(false))
                .setIgnorePortInHostMatching(true)
                .setMaxDirectResponseBodySizeBytes(UInt32Value.of(1_048_576));
        var taken = new HashSet<String>();
        for (var host : hosts) {
            var own = host.getDomainsList().stream().filter(taken::add).toList();
            if (!own.isEmpty()) { // Envoy refuses a table that names a host twice
                table.addVirtualHosts(host.toBuilder().clearDomains().addAllDomains(own));
            }
        }
        if (hosts.isEmpty()) {
            table.addVirtualHosts(
                    VirtualHost.newBuilder().setName("blackhole:" + port).addDomains("*"));
        }
        return table.build();
    }

    /// The names of certificates that the control plane has to send for a server.
    public static Set<String> secrets(IngressServer server) {
        var names = new LinkedHashSet<String>();
        server.security().ifPresent(security -> {
            if (security.proof() instanceof Proof.Credentials credentials) {
                names.addAll(credentials.names());
            }
            security.clients().authorities().ifPresent(authorities -> {
                if (authorities instanceof Authorities.Named named
                        && !named.name().equals(SecretSources.ROOTS)) {
                    names.add(named.name());
                }
            });
        });
        return names;
    }

    private static ListenerFilter filter(String name, Any config) {
        return ListenerFilter.newBuilder().setName(name).setTypedConfig(config).build();
    }

    private static Address address(String ip, int port) {
        return Address.newBuilder()
                .setSocketAddress(SocketAddress.newBuilder().setAddress(ip).setPortValue(port))
                .build();
    }
}
