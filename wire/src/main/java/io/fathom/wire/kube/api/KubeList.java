// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.api;

import java.util.List;

/// All objects that a query found, as of one moment.
public record KubeList(List<KubeObject> items, String resourceVersion) {
    public KubeList {
        items = List.copyOf(items);
    }
}
