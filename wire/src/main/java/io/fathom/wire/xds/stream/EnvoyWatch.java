// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.stream;

import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.fathom.wire.xds.store.Catalog;
import io.fathom.wire.xds.store.Range;
import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.store.StoreCut;
import io.fathom.wire.xds.store.StreamLimits;
import io.fathom.wire.xds.store.XdsResource;
import io.fathom.wire.xds.store.XdsType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// One type on the stream of an Envoy: what it subscribes to and how far it has been told.
///
/// Additions and removals are told apart, because clusters have to go after the routes that lead to them. Used by one
/// thread at a time.
final class EnvoyWatch {
    private final XdsType type;
    private final ResourceStore store;
    private final int maxNames;

    private boolean wildcard;
    private boolean everythingDue;
    private InitialVersions retained;
    private final Set<String> names = new LinkedHashSet<>();
    /// Names that have to be answered whether they have changed or not.
    private final Set<String> fresh = new LinkedHashSet<>();
    /// What the client holds that was gone when it reconnected.
    private final Set<String> departed = new LinkedHashSet<>();

    private long puts;
    private long removals;

    EnvoyWatch(XdsType type, ResourceStore store, StreamLimits limits, XdsRequest first) {
        this.type = type;
        this.store = store;
        this.maxNames = limits.names();
        // A cluster may have waited for its endpoints when the stream broke: they are always sent.
        this.retained = type.equals(XdsType.ENDPOINTS) ? InitialVersions.NONE : first.initial();
        this.puts = store.head().sequence();
        this.removals = puts;
        if (type.emptyMeansAll() && first.subscribe().isEmpty()) {
            wildcard = true;
            everythingDue = true;
        }
        change(first.subscribe(), first.unsubscribe());
    }

    XdsType type() {
        return type;
    }

    boolean isWildcard() {
        return wildcard;
    }

    int names() {
        return names.size();
    }

    /// Whether all up to that cut has been told, with these names among it.
    boolean isToldOf(long sequence, Set<String> required) {
        return puts >= sequence && !isReplyDue() && (wildcard || names.containsAll(required));
    }

    /// Whether the client waits for an answer.
    boolean isReplyDue() {
        return everythingDue || !fresh.isEmpty();
    }

    void change(List<String> subscribe, List<String> unsubscribe) {
        for (var name : subscribe) {
            if (name.equals(DeltaWatch.WILDCARD)) {
                everythingDue |= !wildcard;
                wildcard = true;
            } else {
                names.add(name);
                fresh.add(name);
            }
        }
        for (var name : unsubscribe) {
            wildcard &= !name.equals(DeltaWatch.WILDCARD);
            names.remove(name);
            fresh.remove(name);
        }
        if (names.size() > maxNames) {
            throw StreamRejection.exhausted(
                    "a stream may subscribe to at most " + maxNames + " names of " + type.url());
        }
    }

    /// Those names are sent again, as far as they are subscribed to.
    void repeat(Collection<String> again) {
        again.stream().filter(names::contains).forEach(fresh::add);
    }

    /// What there is of that name now, as long as it is subscribed to.
    Optional<XdsResource> current(String name, StoreCut head) {
        return wildcard || names.contains(name)
                ? Optional.ofNullable(head.catalog(type).get(name))
                : Optional.empty();
    }

    /// What is new or changed, and what the client waits for. Empty when there is nothing to say; an empty list when
    /// the client waits and there is nothing.
    Optional<List<XdsResource>> puts(StoreCut to) {
        var answered = everythingDue || !fresh.isEmpty();
        if (!answered && puts >= to.sequence()) {
            return Optional.empty();
        }
        var found = new LinkedHashMap<String, XdsResource>();
        var catalog = to.catalog(type);
        if (everythingDue) {
            catalog.byName().forEach(found::put);
            puts = to.sequence();
            removals = to.sequence();
        } else if (puts < to.sequence()) {
            for (var resource : since(puts, to).changes(type).puts()) {
                if (wildcard || names.contains(resource.name())) {
                    found.put(resource.name(), resource);
                }
            }
            puts = to.sequence();
        }
        for (var name : fresh) {
            var resource = catalog.get(name);
            if (resource != null) {
                found.put(name, resource);
            } else {
                nothing(name).ifPresent(empty -> found.put(name, empty));
            }
        }
        var mustAnswer = everythingDue;
        everythingDue = false;
        fresh.clear();
        forgetCurrent(found, catalog);
        return found.isEmpty() && !mustAnswer ? Optional.empty() : Optional.of(List.copyOf(found.values()));
    }

    /// What a client that reconnects has already is not sent again.
    private void forgetCurrent(Map<String, XdsResource> found, Catalog catalog) {
        for (int i = 0; i < retained.size(); i++) {
            var name = retained.names().get(i);
            var resource = found.get(name);
            if (resource != null && retained.isCurrent(i, resource)) {
                found.remove(name);
            }
            if (wildcard && catalog.get(name) == null) {
                departed.add(name);
            }
        }
        retained = InitialVersions.NONE;
    }

    /// What is no more. Only for those who subscribe to everything: others ask, and get something empty.
    List<String> removals(StoreCut to) {
        if (!wildcard || everythingDue) {
            return List.of();
        }
        var gone = new HashSet<>(departed);
        departed.clear();
        if (removals < to.sequence()) {
            gone.addAll(since(removals, to).changes(type).removed());
            removals = to.sequence();
        }
        var catalog = to.catalog(type);
        var sorted = new ArrayList<String>();
        gone.stream().filter(name -> catalog.get(name) == null).sorted().forEach(sorted::add);
        return sorted;
    }

    /// A client that waits for something that does not exist gets something empty, or it would wait for ever.
    private Optional<XdsResource> nothing(String name) {
        if (type.equals(XdsType.ENDPOINTS)) {
            return Optional.of(XdsResource.of(
                    name,
                    ClusterLoadAssignment.newBuilder().setClusterName(name).build()));
        }
        if (type.equals(XdsType.ROUTES)) {
            return Optional.of(XdsResource.of(
                    name, RouteConfiguration.newBuilder().setName(name).build()));
        }
        return Optional.empty();
    }

    private Range since(long from, StoreCut to) {
        return store.since(from, to)
                .orElseThrow(() -> StreamRejection.unavailable(
                        "this stream is too far behind to be told what was removed; reconnect"));
    }
}
