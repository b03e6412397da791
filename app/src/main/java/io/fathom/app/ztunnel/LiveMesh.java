// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.ztunnel;

import io.fathom.model.routing.MeshView;
import io.fathom.node.proxy.MeshSource;
import io.fathom.node.state.NodeState;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/// The mesh as the node's state has it.
record LiveMesh(NodeState state) implements MeshSource {
    @Override
    public MeshView view() {
        return state.view();
    }

    @Override
    public CompletableFuture<?> demand(String name) {
        return state.demand(name);
    }

    @Override
    public Subscription onChange(Consumer<MeshView> listener) {
        var subscription = state.listen(change -> listener.accept(change.after()));
        return () -> {
            try {
                subscription.close();
            } catch (Exception e) {
                throw new IllegalStateException("leaving never fails", e);
            }
        };
    }
}
