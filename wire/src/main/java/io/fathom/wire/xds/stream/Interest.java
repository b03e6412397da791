// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.stream;

import io.fathom.wire.xds.store.Catalog;
import io.fathom.wire.xds.store.XdsResource;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/// What a client that does not want everything wants: the names it asked for (also of things that do not exist yet),
/// the resources it got, whatever belongs to either, and all on its own node. Every question is a set lookup.
///
/// Grows only by what the client asks for and by what exists; used by one thread at a time.
final class Interest {
    private final String node;
    private final Set<String> asked = new HashSet<>();
    private final Set<String> held = new HashSet<>();

    /// @param node empty when unknown
    Interest(String node) {
        this.node = node;
    }

    String node() {
        return node;
    }

    int size() {
        return asked.size();
    }

    void ask(String name) {
        asked.add(name);
    }

    /// The client gets the resource; if it did not have it, it gets what belongs to it too. All of it is put to `sent`.
    void take(XdsResource resource, Catalog catalog, Map<String, XdsResource> sent) {
        sent.put(resource.name(), resource);
        if (held.add(resource.name())) {
            catalog.members(resource.name(), member -> {
                if (!held.contains(member.name())) {
                    take(member, catalog, sent);
                }
            });
        }
    }

    /// The resource is gone. True when the client should hear of it; a name it asked for stays asked for.
    boolean lose(String name) {
        var had = held.remove(name);
        return had || asked.contains(name);
    }

    boolean wants(XdsResource resource) {
        return held.contains(resource.name()) || hasReason(resource);
    }

    /// The client no longer wants `name`, nor what it got because of it and for no other reason.
    void drop(String name, Catalog catalog) {
        asked.remove(name);
        var resource = catalog.get(name);
        if (resource != null && hasReason(resource)) {
            return;
        }
        held.remove(name);
        catalog.members(name, member -> {
            if (held.contains(member.name()) && !hasReason(member)) {
                drop(member.name(), catalog);
            }
        });
    }

    private boolean hasReason(XdsResource resource) {
        if (asked.contains(resource.name())) {
            return true;
        }
        for (var alias : resource.sharedAliases()) {
            if (asked.contains(alias)) {
                return true;
            }
        }
        for (var link : resource.sharedLinks()) {
            if (asked.contains(link) || held.contains(link) || link.equals(node)) {
                return true;
            }
        }
        return false;
    }
}
