// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.pod;

import io.fathom.model.mesh.Address;
import io.fathom.model.policy.Authorization;
import io.fathom.model.routing.MeshDelta;
import io.fathom.model.routing.MeshStore;
import io.fathom.model.routing.MeshView;
import io.fathom.node.proxy.MeshSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/// A mesh that tests change by hand.
final class TestMesh implements MeshSource {
    private final MeshStore store = new MeshStore(Optional.empty());
    private final Map<String, List<Address>> demanded = new ConcurrentHashMap<>();
    private final List<Consumer<MeshView>> listeners = new CopyOnWriteArrayList<>();

    @Override
    public MeshView view() {
        return store.view();
    }

    @Override
    public Subscription onChange(Consumer<MeshView> listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    /// What comes only when it is asked for.
    void onDemand(String name, Address... addresses) {
        demanded.put(name, List.of(addresses));
    }

    @Override
    public CompletableFuture<?> demand(String name) {
        var wanted = demanded.remove(name);
        return wanted == null
                ? CompletableFuture.completedFuture(null)
                : CompletableFuture.runAsync(() -> apply(MeshDelta.ofAddresses(wanted, List.of())));
    }

    void put(Address... addresses) {
        apply(MeshDelta.ofAddresses(List.of(addresses), List.of()));
    }

    void put(Authorization... policies) {
        apply(MeshDelta.ofPolicies(List.of(policies), List.of()));
    }

    void removePolicy(String key) {
        apply(MeshDelta.ofPolicies(List.of(), List.of(key)));
    }

    private synchronized void apply(MeshDelta delta) {
        store.apply(delta);
        listeners.forEach(listener -> listener.accept(store.view()));
    }
}
