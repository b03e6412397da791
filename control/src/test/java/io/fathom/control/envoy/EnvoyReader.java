// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import com.google.protobuf.InvalidProtocolBufferException;
import io.envoyproxy.envoy.config.listener.v3.FilterChain;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.config.route.v3.VirtualHost;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy;
import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.store.XdsResource;
import io.fathom.wire.xds.store.XdsType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// Where an Envoy with the resources of a store leads requests and connections: its choice of a filter chain by server
/// name, of a virtual host by the longest name, and of the first route by path. Knows no more than tests ask for.
final class EnvoyReader {
    /// Where nothing leads.
    static final String NOWHERE = "";

    private final List<Listener> listeners = new ArrayList<>();
    private final Map<String, RouteConfiguration> tables = new HashMap<>();

    EnvoyReader(ResourceStore store) {
        try {
            for (var resource : resources(store, XdsType.LISTENER)) {
                listeners.add(Listener.parseFrom(resource.body()));
            }
            for (var resource : resources(store, XdsType.ROUTES)) {
                var table = RouteConfiguration.parseFrom(resource.body());
                tables.put(table.getName(), table);
            }
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
    }

    private static List<XdsResource> resources(ResourceStore store, XdsType type) {
        var result = new ArrayList<XdsResource>();
        store.head().resources(type).forEach((_, resource) -> result.add(resource));
        return result;
    }

    /// The cluster of a request.
    ///
    /// @param serverName empty without TLS
    String request(int port, String serverName, String host, String path) {
        return chain(port, serverName)
                .flatMap(EnvoyReader::manager)
                .map(manager -> table(manager.getRds().getRouteConfigName(), host, path))
                .orElse(NOWHERE);
    }

    /// The cluster of a request by the name of its route table.
    String table(String name, String host, String path) {
        return Optional.ofNullable(tables.get(name))
                .flatMap(table -> virtualHost(table, host))
                .flatMap(found -> found.getRoutesList().stream()
                        .filter(route -> matches(route, path))
                        .findFirst())
                .map(route -> route.getRoute().getCluster())
                .orElse(NOWHERE);
    }

    /// The cluster of a connection.
    String connection(int port, String serverName) {
        return chain(port, serverName).flatMap(EnvoyReader::stream).orElse(NOWHERE);
    }

    /// The cluster of a connection by the name of its chain, in whatever listener.
    String connection(String chain) {
        return listeners.stream()
                .flatMap(listener -> listener.getFilterChainsList().stream())
                .filter(each -> each.getName().equals(chain))
                .flatMap(each -> stream(each).stream())
                .findFirst()
                .orElse(NOWHERE);
    }

    /// Whether requests for a server name are read with the route table of that name.
    boolean ends(int port, String serverName, String table) {
        return chain(port, serverName)
                .flatMap(EnvoyReader::manager)
                .filter(manager -> manager.getRds().getRouteConfigName().equals(table))
                .isPresent();
    }

    private Optional<FilterChain> chain(int port, String serverName) {
        var chains = listeners.stream()
                .filter(listener -> listener.getAddress().getSocketAddress().getPortValue() == port)
                .flatMap(listener -> listener.getFilterChainsList().stream())
                .toList();
        return patterns(serverName)
                .flatMap(pattern -> chains.stream()
                        .filter(chain -> pattern.equals("*")
                                ? chain.getFilterChainMatch().getServerNamesCount() == 0
                                : chain.getFilterChainMatch()
                                        .getServerNamesList()
                                        .contains(pattern)))
                .findFirst();
    }

    private static Optional<VirtualHost> virtualHost(RouteConfiguration table, String host) {
        return patterns(host)
                .flatMap(pattern -> table.getVirtualHostsList().stream()
                        .filter(each -> each.getDomainsList().contains(pattern)))
                .findFirst();
    }

    /// Exact, then the longest wildcard.
    private static Stream<String> patterns(String name) {
        var result = new ArrayList<String>();
        if (!name.isEmpty()) {
            result.add(name);
            for (var dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
                result.add("*" + name.substring(dot));
            }
        }
        result.add("*");
        return result.stream();
    }

    private static boolean matches(Route route, String path) {
        var match = route.getMatch();
        return switch (match.getPathSpecifierCase()) {
            case PREFIX -> path.startsWith(match.getPrefix());
            case PATH_SEPARATED_PREFIX ->
                path.equals(match.getPathSeparatedPrefix()) || path.startsWith(match.getPathSeparatedPrefix() + "/");
            case PATH -> path.equals(match.getPath());
            default -> throw new AssertionError("unknown match " + match);
        };
    }

    private static Optional<HttpConnectionManager> manager(FilterChain chain) {
        return unpack(chain, HttpConnectionManager.class);
    }

    private static Optional<String> stream(FilterChain chain) {
        return unpack(chain, TcpProxy.class).map(TcpProxy::getCluster);
    }

    private static <M extends com.google.protobuf.Message> Optional<M> unpack(FilterChain chain, Class<M> type) {
        for (var filter : chain.getFiltersList()) {
            if (filter.getTypedConfig().is(type)) {
                try {
                    return Optional.of(filter.getTypedConfig().unpack(type));
                } catch (InvalidProtocolBufferException e) {
                    throw new AssertionError(e);
                }
            }
        }
        return Optional.empty();
    }
}
