// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.store;

import io.fathom.base.flow.PersistentMap;
import java.util.ArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The resources of one type at one cut, found by name, alias and link without a scan. Immutable.
public final class Catalog {
    static final Catalog EMPTY = new Catalog(PersistentMap.empty(), PersistentMap.empty());

    private final PersistentMap<String, XdsResource> byName;
    private final PersistentMap<String, Members> byKey;

    private Catalog(PersistentMap<String, XdsResource> byName, PersistentMap<String, Members> byKey) {
        this.byName = byName;
        this.byKey = byKey;
    }

    public PersistentMap<String, XdsResource> byName() {
        return byName;
    }

    public @Nullable XdsResource get(String name) {
        return byName.get(name);
    }

    int size() {
        return byName.size();
    }

    Catalog with(XdsResource resource) {
        var before = byName.get(resource.name());
        var keys = byKey;
        if (before == null) {
            keys = indexed(keys, resource);
        } else if (!before.sameKeys(resource)) {
            keys = indexed(unindexed(keys, before), resource);
        }
        return new Catalog(byName.with(resource.name(), resource), keys);
    }

    Catalog without(String name) {
        var before = byName.get(name);
        return before == null ? this : new Catalog(byName.without(name), unindexed(byKey, before));
    }

    /// The resources that `key` is an alias or a link of.
    public void members(String key, Consumer<XdsResource> action) {
        var members = byKey.get(key);
        if (members != null) {
            members.forEach(name -> {
                var resource = byName.get(name);
                if (resource != null) {
                    action.accept(resource);
                }
            });
        }
    }

    /// Finds what `name` stands for: the resource itself, those it is an alias of, and what belongs to either. False
    /// when there is none.
    public boolean resolve(String name, Consumer<XdsResource> action) {
        var found = new ArrayList<XdsResource>();
        var itself = byName.get(name);
        if (itself != null) {
            found.add(itself);
        }
        members(name, found::add);
        found.forEach(resource -> {
            action.accept(resource);
            members(resource.name(), action);
        });
        return !found.isEmpty();
    }

    private static PersistentMap<String, Members> indexed(PersistentMap<String, Members> keys, XdsResource resource) {
        return add(add(keys, resource.name(), resource.sharedAliases()), resource.name(), resource.sharedLinks());
    }

    private static PersistentMap<String, Members> unindexed(PersistentMap<String, Members> keys, XdsResource resource) {
        return drop(drop(keys, resource.name(), resource.sharedAliases()), resource.name(), resource.sharedLinks());
    }

    private static PersistentMap<String, Members> add(
            PersistentMap<String, Members> start, String name, String[] added) {
        var keys = start;
        for (var key : added) {
            var members = keys.get(key);
            keys = keys.with(key, members == null ? new Members.One(name) : members.with(name));
        }
        return keys;
    }

    private static PersistentMap<String, Members> drop(
            PersistentMap<String, Members> start, String name, String[] dropped) {
        var keys = start;
        for (var key : dropped) {
            var members = keys.get(key);
            if (members != null) {
                var rest = members.without(name).orElse(null);
                keys = rest == null ? keys.without(key) : keys.with(key, rest);
            }
        }
        return keys;
    }
}
