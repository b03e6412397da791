// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.refusal;

import io.fathom.control.envoy.view.ResourceKey;
import io.fathom.wire.xds.store.ResourceStore;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/// Which parts are in the resources that proxies are judging. Any thread may call, but verdicts come from one.
final class PublishedParts {
    /// @param sequence since when
    private record Published(long sequence, Map<PartKey, Ingredient> parts) {}

    private final Quarantine quarantine;
    private final Function<ResourceKey, Optional<Map<PartKey, Ingredient>>> current;
    private final Map<ResourceStore, Map<ResourceKey, Published>> published = new ConcurrentHashMap<>();

    /// @param current the parts of a resource as they are published next
    PublishedParts(Quarantine quarantine, Function<ResourceKey, Optional<Map<PartKey, Ingredient>>> current) {
        this.quarantine = quarantine;
        this.current = current;
    }

    /// These parts are in the store now.
    void published(ResourceStore store, ResourceKey resource, long sequence, Map<PartKey, Ingredient> parts) {
        publish(store, resource, new Published(sequence, parts));
    }

    /// It is in the store with nothing in it that could be held back, or is gone.
    void withdrawn(ResourceStore store, ResourceKey resource) {
        published.computeIfPresent(store, (_, own) -> {
            own.remove(resource);
            return own;
        });
    }

    private void publish(ResourceStore store, ResourceKey resource, Published own) {
        published.computeIfAbsent(store, _ -> new ConcurrentHashMap<>()).put(resource, own);
    }

    /// @param sequence up to which a proxy has looked at the store
    void accepted(ResourceStore store, ResourceKey resource, long sequence) {
        var own = latest(store, resource, sequence);
        while (own.isPresent()) {
            quarantine.accepted(resource, own.get().parts());
            own = ineffective(store, resource, own.get());
        }
    }

    /// Whether it is taken care of: a part is held back, or something newer is on its way.
    boolean refused(ResourceStore store, ResourceKey resource, long sequence, String error) {
        var own = latest(store, resource, sequence);
        if (own.isEmpty()) {
            return isKnown(store, resource);
        }
        while (own.isPresent()) {
            if (!quarantine.refused(resource, own.get().parts(), error)) {
                return false;
            }
            own = ineffective(store, resource, own.get());
        }
        return true;
    }

    /// A part that comes or goes without a trace in the resource is not published, so nobody will judge it: the
    /// verdict on what is there holds for the parts of now. Empty when there are no others, or when a new resource
    /// is on its way.
    private Optional<Published> ineffective(ResourceStore store, ResourceKey resource, Published judged) {
        if (!judged.equals(published.getOrDefault(store, Map.of()).get(resource))) {
            return Optional.empty();
        }
        return current.apply(resource)
                .filter(parts -> !parts.equals(judged.parts()))
                .map(parts -> {
                    var now = new Published(judged.sequence(), parts);
                    publish(store, resource, now);
                    return now;
                });
    }

    private boolean isKnown(ResourceStore store, ResourceKey resource) {
        return published.getOrDefault(store, Map.of()).containsKey(resource);
    }

    private Optional<Published> latest(ResourceStore store, ResourceKey resource, long sequence) {
        return Optional.ofNullable(published.getOrDefault(store, Map.of()).get(resource))
                .filter(own -> sequence >= own.sequence());
    }

    /// Nobody publishes to it any more.
    void forget(ResourceStore store) {
        published.remove(store);
    }
}
