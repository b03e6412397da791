// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy;

import io.fathom.model.routing.MeshView;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/// Where the latest view of the mesh comes from.
public interface MeshSource {
    MeshView view();

    /// Calls the listener after each change, once the new view is what [#view()] returns, until what it returns is
    /// closed. Always on the same thread, or at least never on two at once.
    Subscription onChange(Consumer<MeshView> listener);

    /// Done when the view holds whatever there is under a name, `network/ip` or `namespace/hostname`: at once, unless
    /// the control plane tells only of what it is asked for.
    default CompletableFuture<?> demand(String name) {
        return CompletableFuture.completedFuture(null);
    }

    /// Closing it ends the calls.
    interface Subscription extends AutoCloseable {
        @Override
        void close();
    }
}
