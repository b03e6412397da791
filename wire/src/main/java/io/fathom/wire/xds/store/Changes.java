// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.store;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;

/// What happened to the resources of one type between two cuts: the latest value of each name, or that it is gone.
public record Changes(List<XdsResource> puts, List<String> removed) {
    static final Changes NONE = new Changes(List.of(), List.of());

    public Changes {
        puts = List.copyOf(puts);
        removed = List.copyOf(removed);
    }

    boolean isEmpty() {
        return puts.isEmpty() && removed.isEmpty();
    }

    int size() {
        return puts.size() + removed.size();
    }

    /// Several steps, oldest first, as one.
    static Changes merged(List<Changes> steps) {
        if (steps.size() == 1) {
            return steps.getFirst();
        }
        var latest = new LinkedHashMap<String, Optional<XdsResource>>();
        for (var step : steps) {
            step.puts().forEach(resource -> latest.put(resource.name(), Optional.of(resource)));
            step.removed().forEach(name -> latest.put(name, Optional.empty()));
        }
        var puts = new ArrayList<XdsResource>();
        var removed = new ArrayList<String>();
        latest.forEach((name, resource) -> resource.ifPresentOrElse(puts::add, () -> removed.add(name)));
        return new Changes(puts, removed);
    }
}
