// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.extension;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import io.envoyproxy.envoy.config.listener.v3.Filter;
import io.envoyproxy.envoy.config.listener.v3.FilterChain;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.listener.v3.ListenerFilter;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.fathom.control.envoy.extension.ListPatch.Anchored;
import io.fathom.control.envoy.extension.ListPatch.End;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.ApplyTo;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Patches of listeners and of all that is in them, from the outside to the inside.
final class ListenerPatches {
    private final List<CompiledPatch> patches;
    private final RoutePatches routes;

    ListenerPatches(List<CompiledPatch> all, RoutePatches routes) {
        this.routes = routes;
        patches = all.stream()
                .filter(patch -> switch (patch.applyTo()) {
                    case LISTENER, LISTENER_FILTER, FILTER_CHAIN, NETWORK_FILTER, HTTP_FILTER -> true;
                    default -> false;
                })
                .toList();
    }

    List<Listener> added() {
        return patches.stream()
                .filter(patch -> patch.applyTo() == ApplyTo.LISTENER && patch.operation() == Operation.ADD)
                .map(patch -> (Listener) patch.value().orElseThrow())
                .toList();
    }

    Optional<Listener> apply(Listener listener) {
        if (patches.isEmpty() && routes.isEmpty()) {
            return Optional.of(listener);
        }
        var result = listener;
        for (var patch : of(ApplyTo.LISTENER)) {
            if (patch.operation() == Operation.ADD || !ListenerMatches.wholeListener(patch.match(), result)) {
                continue;
            }
            if (patch.operation() == Operation.REMOVE) {
                return Optional.empty();
            }
            result = DeepMerge.merge(result, patch.value().orElseThrow());
        }
        return Optional.of(inside(result));
    }

    private Listener inside(Listener listener) {
        List<ListenerFilter> filters = listener.getListenerFiltersList();
        List<FilterChain> chains = listener.getFilterChainsList();
        for (var patch : patches) {
            if (!ListenerMatches.listener(patch.match(), listener)) {
                continue;
            }
            if (patch.applyTo() == ApplyTo.LISTENER_FILTER) {
                var name = ListenerMatches.listenerFilter(patch.match());
                filters = ListPatch.apply(
                        ListenerFilter.class,
                        filters,
                        patch,
                        filter -> ListenerMatches.isOr(name, filter.getName()),
                        Anchored.by(name),
                        End.LAST);
            } else if (patch.applyTo() == ApplyTo.FILTER_CHAIN) {
                chains = ListPatch.apply(
                        FilterChain.class,
                        chains,
                        patch,
                        chain -> ListenerMatches.chain(patch.match(), listener, chain),
                        Anchored.BY_NAME,
                        End.LAST);
            }
        }
        var patched = new ArrayList<FilterChain>(chains.size());
        chains.forEach(chain -> patched.add(chain(listener, chain)));
        var result = listener.toBuilder().clearListenerFilters().addAllListenerFilters(filters);
        result.clearFilterChains().addAllFilterChains(patched);
        if (listener.hasDefaultFilterChain()) {
            result.setDefaultFilterChain(chain(listener, listener.getDefaultFilterChain()));
        }
        return result.build();
    }

    private FilterChain chain(Listener listener, FilterChain chain) {
        List<Filter> filters = chain.getFiltersList();
        for (var patch : of(ApplyTo.NETWORK_FILTER)) {
            if (ListenerMatches.listener(patch.match(), listener)
                    && ListenerMatches.chain(patch.match(), listener, chain)) {
                var name = ListenerMatches.filter(patch.match());
                filters = ListPatch.apply(
                        Filter.class,
                        filters,
                        patch,
                        filter -> ListenerMatches.isOr(name, filter.getName()),
                        Anchored.by(name),
                        End.BEFORE_LAST);
            }
        }
        var http = of(ApplyTo.HTTP_FILTER).stream()
                .filter(patch -> ListenerMatches.listener(patch.match(), listener)
                        && ListenerMatches.chain(patch.match(), listener, chain))
                .toList();
        var patched = new ArrayList<Filter>(filters.size());
        filters.forEach(filter -> patched.add(manager(filter, http)));
        return chain.toBuilder().clearFilters().addAllFilters(patched).build();
    }

    private Filter manager(Filter filter, List<CompiledPatch> http) {
        if (!filter.getTypedConfig().is(HttpConnectionManager.class)) {
            return filter;
        }
        try {
            var manager = filter.getTypedConfig().unpack(HttpConnectionManager.class);
            var result = manager.toBuilder();
            var filters = HttpFilterPatches.apply(
                    manager.getHttpFiltersList(),
                    http.stream()
                            .filter(patch ->
                                    ListenerMatches.isOr(ListenerMatches.filter(patch.match()), filter.getName()))
                            .toList());
            result.clearHttpFilters().addAllHttpFilters(filters);
            if (manager.hasRouteConfig()) {
                result.setRouteConfig(routes.apply(manager.getRouteConfig()));
            }
            return filter.toBuilder().setTypedConfig(Any.pack(result.build())).build();
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("a filter of ours cannot be read", e);
        }
    }

    private List<CompiledPatch> of(ApplyTo applyTo) {
        return patches.stream().filter(patch -> patch.applyTo() == applyTo).toList();
    }
}
