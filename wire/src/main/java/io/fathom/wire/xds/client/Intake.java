// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.client;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// What one response says about one type, and which versions of it are held. For one thread.
final class Intake<T> {
    private final VersionTable held;
    /// Nothing was held when the response began: nothing of it can be a change or a removal.
    private final boolean fresh;
    private List<T> items = new ArrayList<>();
    private List<String> names = new ArrayList<>();
    private List<String> versions = new ArrayList<>();
    private final Set<String> put = new HashSet<>();

    Intake(VersionTable held) {
        this.held = held;
        this.fresh = held.size() == 0;
    }

    void add(T item, String name, String version) {
        items.add(item);
        names.add(name);
        versions.add(version);
        if (!fresh) {
            put.add(name);
        }
    }

    /// Whether so many wait that they should be handed on, and may be before the response ends.
    boolean isFull(int most) {
        return fresh && items.size() >= most;
    }

    /// Of the names that the response removes those that mean something: held, and not put by the same response.
    List<String> meant(List<String> removed) {
        return fresh
                ? List.of()
                : removed.stream()
                        .filter(name -> !put.contains(name) && held.contains(name))
                        .toList();
    }

    List<T> items() {
        return items;
    }

    /// The mesh has the items now, and has lost what is gone.
    void settle(List<String> gone) {
        gone.forEach(held::remove);
        for (int i = 0; i < names.size(); i++) {
            held.put(names.get(i), versions.get(i));
        }
        items = new ArrayList<>();
        names = new ArrayList<>();
        versions = new ArrayList<>();
    }
}
