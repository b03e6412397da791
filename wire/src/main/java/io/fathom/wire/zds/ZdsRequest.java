// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.zds;

import io.fathom.base.posix.Descriptor;

/// What the agent asks of the proxy.
public sealed interface ZdsRequest {
    /// Serve this pod. The descriptor of its network namespace belongs to whoever has the request.
    record Add(PodInfo pod, Descriptor namespace) implements ZdsRequest {}

    /// The pod exists, go on as before.
    record Keep(String uid) implements ZdsRequest {}

    /// The pod is gone.
    record Delete(String uid) implements ZdsRequest {}

    /// Every pod that exists has been named.
    record SnapshotSent() implements ZdsRequest {}
}
