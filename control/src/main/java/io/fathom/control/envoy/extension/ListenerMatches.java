// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.extension;

import io.envoyproxy.envoy.config.listener.v3.FilterChain;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.AnyObject;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.ClusterMatch;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.ListenerMatch;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.ObjectMatch;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.RoutesMatch;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.WaypointMatch;
import java.util.Optional;
import java.util.regex.Pattern;

/// Which listeners, chains and filters a match means. The chains of a waypoint count as listeners of the ports in
/// their names, because they share one listener without a port.
final class ListenerMatches {
    private static final Pattern CHAIN_PORT = Pattern.compile("inbound-vip\\|([0-9]+)\\|.*");
    private static final String MAIN = "main_internal";

    private ListenerMatches() {}

    /// Whether the listener itself is meant, not only chains in it.
    static boolean wholeListener(ObjectMatch match, Listener listener) {
        return listener(match, listener)
                && !(match instanceof ListenerMatch wanted && wanted.port() != 0 && listener.hasInternalListener());
    }

    static boolean listener(ObjectMatch match, Listener listener) {
        return switch (match) {
            case AnyObject _ -> true;
            case ListenerMatch wanted ->
                isOr(wanted.name(), listener.getName())
                        && (wanted.port() == 0
                                || listener.hasInternalListener()
                                || listener.getAddress().getSocketAddress().getPortValue() == wanted.port());
            case WaypointMatch _ -> listener.getName().equals(MAIN);
            case RoutesMatch _, ClusterMatch _ -> false;
        };
    }

    static boolean chain(ObjectMatch match, Listener listener, FilterChain chain) {
        return switch (match) {
            case AnyObject _ -> true;
            case ListenerMatch wanted ->
                isOr(wanted.chain(), chain.getName())
                        && (wanted.port() == 0 || !listener.hasInternalListener() || hasPort(chain, wanted.port()))
                        && (wanted.sni().isEmpty()
                                || chain.getFilterChainMatch()
                                        .getServerNamesList()
                                        .contains(wanted.sni()))
                        && isOr(
                                wanted.transportProtocol(),
                                chain.getFilterChainMatch().getTransportProtocol())
                        && applicationProtocols(wanted, chain)
                        && (wanted.destinationPort() == 0
                                || chain.getFilterChainMatch()
                                                .getDestinationPort()
                                                .getValue()
                                        == wanted.destinationPort());
            case WaypointMatch wanted -> wanted.port() == 0 || hasPort(chain, wanted.port());
            case RoutesMatch _, ClusterMatch _ -> false;
        };
    }

    /// The name of the network filter that is meant; empty for any.
    static String filter(ObjectMatch match) {
        return switch (match) {
            case ListenerMatch wanted -> wanted.filter();
            case WaypointMatch wanted -> wanted.filter();
            case AnyObject _, RoutesMatch _, ClusterMatch _ -> "";
        };
    }

    /// The name of the HTTP filter that is meant; empty for any.
    static String subFilter(ObjectMatch match) {
        return switch (match) {
            case ListenerMatch wanted -> wanted.subFilter();
            case WaypointMatch wanted -> wanted.subFilter();
            case AnyObject _, RoutesMatch _, ClusterMatch _ -> "";
        };
    }

    static String listenerFilter(ObjectMatch match) {
        return match instanceof ListenerMatch wanted ? wanted.listenerFilter() : "";
    }

    static boolean isOr(String wanted, String actual) {
        return wanted.isEmpty() || wanted.equals(actual);
    }

    private static boolean applicationProtocols(ListenerMatch wanted, FilterChain chain) {
        if (wanted.applicationProtocols().isEmpty()) {
            return true;
        }
        var protocols = chain.getFilterChainMatch().getApplicationProtocolsList();
        for (var protocol : wanted.applicationProtocols().split(",", -1)) {
            if (!protocols.contains(protocol.strip())) {
                return false;
            }
        }
        return true;
    }

    private static boolean hasPort(FilterChain chain, int port) {
        return port(chain.getName()).filter(own -> own == port).isPresent();
    }

    /// Of the cluster that a waypoint's chain is named after.
    static Optional<Integer> port(String name) {
        var match = CHAIN_PORT.matcher(name);
        return match.matches() ? Optional.of(Integer.valueOf(match.group(1))) : Optional.empty();
    }
}
