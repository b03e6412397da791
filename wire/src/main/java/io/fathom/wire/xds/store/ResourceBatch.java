// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.store;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;

/// Changes of several types that clients shall see as one step. The last word on a name wins. Used by one thread.
public final class ResourceBatch {
    private final Map<XdsType, Map<String, Optional<XdsResource>>> changes = new LinkedHashMap<>();

    public ResourceBatch put(XdsType type, XdsResource resource) {
        of(type).put(resource.name(), Optional.of(resource));
        return this;
    }

    public ResourceBatch remove(XdsType type, String name) {
        of(type).put(name, Optional.empty());
        return this;
    }

    public boolean isEmpty() {
        return changes.isEmpty();
    }

    /// Everything that it is about.
    public void names(BiConsumer<XdsType, String> action) {
        changes.forEach((type, own) -> own.keySet().forEach(name -> action.accept(type, name)));
    }

    private Map<String, Optional<XdsResource>> of(XdsType type) {
        return changes.computeIfAbsent(type, _ -> new LinkedHashMap<>());
    }

    /// This batch and then the other, as one.
    public ResourceBatch followedBy(ResourceBatch later) {
        var result = new ResourceBatch();
        forEach((type, rows) -> result.of(type).putAll(rows));
        later.forEach((type, rows) -> result.of(type).putAll(rows));
        return result;
    }

    void forEach(BiConsumer<XdsType, Map<String, Optional<XdsResource>>> action) {
        changes.forEach(action);
    }
}
