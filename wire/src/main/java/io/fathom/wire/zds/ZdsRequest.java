// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.zds;

import io.fathom.base.posix.Descriptor;
import java.util.List;

/// What the agent asks of the proxy.
public sealed interface ZdsRequest {
    /// Serve this pod. The descriptors of its network namespace and of its listeners belong to whoever has the request.
    ///
    /// @param listeners sockets that listen in the pod already, to be used instead of new ones
    record Add(PodInfo pod, Descriptor namespace, Keeping keeping, List<PodListener> listeners) implements ZdsRequest {
        public Add {
            listeners = List.copyOf(listeners);
        }

        public Add(PodInfo pod, Descriptor namespace) {
            this(pod, namespace, Keeping.NO, List.of());
        }

        /// Closes everything that came with it.
        public void close() {
            namespace.close();
            listeners.forEach(PodListener::close);
        }
    }

    /// Whether the agent wants the listeners of a pod, so that they outlive the proxy.
    enum Keeping {
        NO,
        YES
    }

    /// The pod exists, go on as before.
    record Keep(String uid) implements ZdsRequest {}

    /// The pod is gone.
    record Delete(String uid) implements ZdsRequest {}

    /// Every pod that exists has been named.
    record SnapshotSent() implements ZdsRequest {}
}
