package io.fathom.control.envoy;

import io.fathom.wire.xds.ResourceStore;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// Which parts are in the resources that proxies are judging. Any thread may call, but verdicts come from one.
final class Trials {
    /// @param sequence since when
    private record Published(long sequence, Map<PartKey, Ingredient> parts) {}

    private final Quarantine quarantine;
    private final Map<ResourceStore, Map<ResourceKey, Published>> published = new ConcurrentHashMap<>();

    Trials(Quarantine quarantine) {
        this.quarantine = quarantine;
    }

    /// These parts are in the store now.
    void published(ResourceStore store, ResourceKey resource, long sequence, Map<PartKey, Ingredient> parts) {
        published
                .computeIfAbsent(store, _ -> new ConcurrentHashMap<>())
                .merge(
                        resource,
                        new Published(sequence, parts),
                        (before, now) -> before.parts().equals(now.parts()) ? before : now);
    }

    /// @param sequence up to which a proxy has looked at the store
    void accepted(ResourceStore store, ResourceKey resource, long sequence) {
        latest(store, resource, sequence).ifPresent(own -> quarantine.accepted(resource, own.parts()));
    }

    /// Whether it is taken care of: a part is held back, or something newer is on its way.
    boolean refused(ResourceStore store, ResourceKey resource, long sequence, String error) {
        var own = latest(store, resource, sequence);
        return own.isEmpty()
                ? isKnown(store, resource)
                : quarantine.refused(resource, own.get().parts(), error);
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
