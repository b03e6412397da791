// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.view;

import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.xds.store.XdsType;
import java.util.Comparator;

/// One resource of one proxy group.
public record ResourceKey(ObjectKey group, XdsType type, String name) implements Comparable<ResourceKey> {
    private static final Comparator<ResourceKey> ORDER = Comparator.comparing(ResourceKey::group)
            .thenComparing(key -> key.type().url())
            .thenComparing(ResourceKey::name);

    public static ResourceKey cluster(ObjectKey group, String name) {
        return new ResourceKey(group, XdsType.CLUSTER, name);
    }

    public static ResourceKey listener(ObjectKey group, String name) {
        return new ResourceKey(group, XdsType.LISTENER, name);
    }

    @Override
    public int compareTo(ResourceKey other) {
        return ORDER.compare(this, other);
    }
}
