// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.stream;

import io.fathom.wire.xds.store.Range;
import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.store.StoreCut;
import io.fathom.wire.xds.store.View;
import io.fathom.wire.xds.store.XdsResource;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/// One type on one state-of-the-world stream: the subscription, and which cut the client was last told of.
final class SotwWatch {
    private final int maxNames;
    /// Empty for a wildcard.
    private Set<String> names = Set.of();
    /// What a client that names resources was sent last.
    private Set<String> held = Set.of();

    private boolean wildcard;
    private boolean replyDue;
    private long reached;

    SotwWatch(int maxNames, long reached) {
        this.maxNames = maxNames;
        this.reached = reached;
    }

    WatchStatus.Scope scope() {
        return wildcard ? WatchStatus.Scope.WILDCARD : WatchStatus.Scope.NAMED;
    }

    int names() {
        return names.size();
    }

    boolean isReplyDue() {
        return replyDue;
    }

    void demandReply() {
        replyDue = true;
    }

    /// The request of the client replaces the one before it; it is answered if there is anything new in it.
    void subscribe(List<String> requested) {
        if (requested.size() > maxNames) {
            throw StreamRejection.exhausted("a stream may subscribe to at most " + maxNames + " names");
        }
        var next = new HashSet<>(requested);
        var everything = next.isEmpty() || next.contains(DeltaWatch.WILDCARD);
        replyDue |= everything != wildcard || (!everything && !names.containsAll(next));
        wildcard = everything;
        names = everything ? Set.of() : next;
    }

    /// Whether anything that the client sees has changed.
    boolean isAffected(View view, ResourceStore store, StoreCut head, Range.Part part) {
        if (reached >= head.sequence()) {
            return false;
        }
        var range = store.since(reached, head);
        if (range.isEmpty()) {
            return true;
        }
        var changes = range.get().changes(view.source());
        return (part.puts() && changes.puts().stream().anyMatch(resource -> sees(view, resource)))
                || (part.removals() && changes.removed().stream().anyMatch(this::saw));
    }

    private boolean sees(View view, XdsResource resource) {
        return view.includes(resource)
                && (wildcard
                        || names.contains(resource.name())
                        || held.contains(resource.name())
                        || resource.aliases().stream().anyMatch(names::contains)
                        || resource.links().stream().anyMatch(key -> names.contains(key) || held.contains(key)));
    }

    private boolean saw(String name) {
        return wildcard || names.contains(name) || held.contains(name);
    }

    void reached(StoreCut head) {
        reached = head.sequence();
    }

    /// All the client subscribes to of a type of the store.
    List<XdsResource> state(View view, StoreCut head) {
        var catalog = head.catalog(view.source());
        var seen = new LinkedHashSet<XdsResource>();
        if (wildcard) {
            catalog.byName().forEach((_, resource) -> seen.add(resource));
        }
        for (var name : names) {
            catalog.resolve(name, seen::add);
        }
        held = wildcard ? Set.of() : seen.stream().map(XdsResource::name).collect(Collectors.toSet());
        told(head);
        return view.included(List.copyOf(seen));
    }

    /// All there is of a type that we do not serve.
    List<XdsResource> nothing(StoreCut head) {
        told(head);
        return List.of();
    }

    private void told(StoreCut head) {
        replyDue = false;
        reached = head.sequence();
    }
}
