// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.gateway;

import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.Optional;

/// A listener of a Gateway.
///
/// @param set the ListenerSet that brought it; empty for one of the Gateway's own
public record ListenerKey(ObjectKey gateway, Optional<ObjectKey> set, String listener) {
    /// One of the Gateway's own.
    public ListenerKey(ObjectKey gateway, String listener) {
        this(gateway, Optional.empty(), listener);
    }
}
