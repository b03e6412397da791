// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.fleet;

import java.util.List;

/// A service as one cluster is to see it: all others that have it, as far as that one is to know of them.
///
/// @param backends none when nobody has it any more
/// @param folded how many more clusters have it
public record ServiceView(String namespace, String name, List<OriginShare> backends, int folded) {
    /// What one cluster says of the service.
    public record OriginShare(int origin, Blob body, Blob spread) {}

    public ServiceView {
        backends = List.copyOf(backends);
    }

    /// `namespace/name`.
    public String path() {
        return namespace + "/" + name;
    }
}
