// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import io.fathom.control.gateway.Hostnames;
import io.fathom.wire.kube.gateway.GrpcRouteManifest;
import io.fathom.wire.kube.gateway.HttpRouteManifest;
import io.fathom.wire.kube.gateway.RouteManifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.networking.VirtualServiceManifest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/// Which routes are for which hosts at a port.
///
/// A request belongs to the listener of the Gateway API that names its host most specifically, and to no other: the
/// hosts of attached routes are chosen so.
final class HostTable {
    private final RouteContext context;
    private final List<Entrance> entrances;
    private final SortedMap<String, Row> rows = new TreeMap<>(Hostnames.MOST_SPECIFIC_FIRST);
    private final Set<String> listeners = new HashSet<>();

    /// What is for one host.
    static final class Row {
        private final Set<RouteManifest> routes = new LinkedHashSet<>();
        private final Set<Bound> virtualServices = new LinkedHashSet<>();
        private Entrance.PlainRequests plainRequests = Entrance.PlainRequests.SERVED;

        /// Oldest first.
        List<RouteManifest> routes() {
            return routes.stream()
                    .sorted(Comparator.comparing(RouteManifest::metadata, Metadata.OLDEST_FIRST))
                    .toList();
        }

        /// Oldest first.
        List<Bound> virtualServices() {
            return virtualServices.stream()
                    .sorted(Comparator.comparing(bound -> bound.manifest().metadata(), Metadata.OLDEST_FIRST))
                    .toList();
        }

        Entrance.PlainRequests plainRequests() {
            return plainRequests;
        }
    }

    /// @param others that it may delegate to
    record Bound(VirtualServiceManifest manifest, String gateway, List<VirtualServiceManifest> others) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Bound bound
                    && bound.manifest.key().equals(manifest.key())
                    && bound.gateway.equals(gateway);
        }

        @Override
        public int hashCode() {
            return manifest.key().hashCode();
        }
    }

    private HostTable(RouteContext context, List<Entrance> entrances) {
        this.context = context;
        this.entrances = entrances;
    }

    /// The most specific hosts first.
    static SortedMap<String, Row> of(RouteContext context, List<Entrance> entrances) {
        var table = new HostTable(context, entrances);
        table.fill();
        return table.rows;
    }

    private void fill() {
        entrances.stream()
                .filter(Entrance::isListener)
                .forEach(entrance -> listeners.addAll(Hostnames.orAll(entrance.hostnames())));
        for (var entrance : entrances) {
            addRoutes(entrance);
            addVirtualServices(entrance);
        }
        addSilentListeners();
    }

    private void addRoutes(Entrance entrance) {
        for (var attached : entrance.routes()) {
            var route = attached.route();
            if (route instanceof HttpRouteManifest || route instanceof GrpcRouteManifest) {
                attached.hosts().forEach(host -> row(host).routes.add(route));
            }
        }
    }

    /// A listener without routes of its own still keeps its requests from broader ones.
    private void addSilentListeners() {
        for (var listener : listeners) {
            if (!rows.containsKey(listener)
                    && rows.keySet().stream().anyMatch(host -> Hostnames.covers(host, listener))) {
                row(listener);
            }
        }
    }

    private void addVirtualServices(Entrance entrance) {
        if (entrance.isListener()) {
            return;
        }
        var viewpoint = new Viewpoint(entrance.gateway());
        var namespace = entrance.gateway().substring(0, entrance.gateway().indexOf('/'));
        for (var each : entrance.virtualServices()) {
            if (viewpoint.sees(each)) {
                for (var name : each.hosts()) {
                    for (var server : serverHosts(entrance, namespace, each.namespace())) {
                        Hostnames.both(server, fullName(each, name)).ifPresent(host -> {
                            var row = row(host);
                            row.virtualServices.add(new Bound(each, entrance.gateway(), entrance.virtualServices()));
                            row.plainRequests = entrance.plainRequests();
                        });
                    }
                }
            }
        }
        if (entrance.plainRequests() == Entrance.PlainRequests.REDIRECTED) {
            serverHosts(entrance, namespace, namespace)
                    .forEach(host -> row(host).plainRequests = Entrance.PlainRequests.REDIRECTED);
        }
    }

    /// Those of a server that VirtualServices of a namespace may bind to.
    static List<String> serverHosts(Entrance entrance, String own, String namespace) {
        var hosts = new ArrayList<String>();
        for (var text : Hostnames.orAll(entrance.hostnames())) {
            var slash = text.indexOf('/');
            var scope = slash < 0 ? "*" : text.substring(0, slash);
            if (scope.equals("*") || scope.equals(namespace) || (scope.equals(".") && own.equals(namespace))) {
                hosts.add(text.substring(slash + 1).toLowerCase(Locale.ROOT));
            }
        }
        return hosts;
    }

    private String fullName(VirtualServiceManifest owner, String host) {
        if (host.contains(".") || Hostnames.isWildcard(host)) {
            return host.toLowerCase(Locale.ROOT);
        }
        return Backend.host(context.destinations(), owner, host)
                .map(service -> service.hostname())
                .orElse(host);
    }

    private Row row(String host) {
        return rows.computeIfAbsent(host, _ -> new Row());
    }
}
