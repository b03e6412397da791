// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import io.fathom.control.envoy.cluster.ProxyLocation;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.xds.store.ResourceStore;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/// The stores that proxies are fed from, each from its first stream on, and until its group is gone and its last stream
/// has ended. While there is a group, a proxy that comes back finds its store. Guarded by its owner.
final class FeedStores {
    /// Proxies of a group share a store unless they stand in different places.
    record Key(ObjectKey group, ProxyLocation vantage) {}

    private static final class Feed {
        private final Key key;
        private final ResourceStore store;
        private int streams;

        private Feed(Key key, ResourceStore store) {
            this.key = key;
            this.store = store;
        }
    }

    private final Map<ObjectKey, Map<Key, Feed>> byGroup = new HashMap<>();
    private final IdentityHashMap<ResourceStore, Feed> byStore = new IdentityHashMap<>();

    /// The feeds that a group has.
    Set<Key> of(ObjectKey group) {
        return byGroup.getOrDefault(group, Map.of()).keySet();
    }

    ResourceStore store(Key key) {
        var feed = byGroup.getOrDefault(key.group(), Map.of()).get(key);
        if (feed == null) {
            throw new IllegalArgumentException("there is no feed " + key);
        }
        return feed.store;
    }

    /// Whose store it is, as long as it is used.
    Optional<ObjectKey> group(ResourceStore store) {
        return Optional.ofNullable(byStore.get(store)).map(feed -> feed.key.group());
    }

    /// Whether a stream is fed from it.
    boolean isUsed(Key key) {
        var feed = byGroup.getOrDefault(key.group(), Map.of()).get(key);
        return feed != null && feed.streams > 0;
    }

    /// For one more stream.
    ///
    /// @param made makes the store when there is none
    ResourceStore join(Key key, Function<Key, ResourceStore> made) {
        var feed = byGroup.computeIfAbsent(key.group(), _ -> new HashMap<>()).computeIfAbsent(key, _ -> {
            var fresh = new Feed(key, made.apply(key));
            byStore.put(fresh.store, fresh);
            return fresh;
        });
        feed.streams++;
        return feed.store;
    }

    /// A stream has ended; the group that it was of.
    ObjectKey leave(ResourceStore store) {
        var feed = byStore.get(store);
        if (feed == null || feed.streams == 0) {
            throw new IllegalArgumentException("nobody joined that store");
        }
        feed.streams--;
        return feed.key.group();
    }

    /// Lets go of the stores of a group that is gone, but for those with streams.
    List<ResourceStore> release(ObjectKey group) {
        var feeds = byGroup.getOrDefault(group, Map.of());
        var unused = feeds.values().stream().filter(feed -> feed.streams == 0).toList();
        for (var feed : unused) {
            feeds.remove(feed.key);
            byStore.remove(feed.store);
        }
        if (feeds.isEmpty()) {
            byGroup.remove(group);
        }
        return unused.stream().map(feed -> feed.store).toList();
    }

    int size() {
        return byStore.size();
    }
}
