// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.stream;

import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.store.ResponseFactory;
import io.fathom.wire.xds.store.StoreCut;
import io.fathom.wire.xds.store.StreamLimits;
import io.fathom.wire.xds.store.XdsResponse;
import io.fathom.wire.xds.store.XdsType;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// A type that we do not serve, on one delta stream: each request is answered, with nothing in it, so that no client
/// waits for it.
final class UnservedWatch implements Watch {
    private final XdsType type;
    private final ResourceStore store;
    private final StreamLimits limits;

    private boolean wildcard;
    private final Set<String> names = new LinkedHashSet<>();
    /// Those of which the client has yet to hear that they are not there.
    private final Set<String> fresh = new LinkedHashSet<>();
    /// What it has from before.
    private final Set<String> held;

    private boolean replyDue = true;

    UnservedWatch(XdsType type, ResourceStore store, StreamLimits limits, XdsRequest first) {
        this.type = type;
        this.store = store;
        this.limits = limits;
        this.wildcard = first.subscribe().isEmpty();
        this.held = new HashSet<>(first.initial().byName().keySet());
        change(first.subscribe(), first.unsubscribe());
    }

    @Override
    public boolean isWildcard() {
        return wildcard;
    }

    @Override
    public int names() {
        return names.size();
    }

    /// New names are answered; giving some up is not.
    @Override
    public void change(List<String> subscribe, List<String> unsubscribe) {
        for (var name : subscribe) {
            if (name.equals(DeltaWatch.WILDCARD)) {
                wildcard = true;
            } else {
                names.add(name);
                fresh.add(name);
            }
        }
        replyDue |= !subscribe.isEmpty();
        for (var name : unsubscribe) {
            wildcard &= !name.equals(DeltaWatch.WILDCARD);
            names.remove(name);
            fresh.remove(name);
            held.remove(name);
        }
        if (names.size() > limits.names()) {
            throw StreamRejection.exhausted("a stream may subscribe to at most " + limits.names() + " names");
        }
    }

    List<XdsResponse> advance(StoreCut to) {
        if (!replyDue) {
            return List.of();
        }
        replyDue = false;
        var gone = new LinkedHashSet<>(fresh);
        gone.addAll(held);
        fresh.clear();
        held.clear();
        return store.responses().reply(type, to, List.of(), List.copyOf(gone), ResponseFactory.Aliases.OMITTED);
    }
}
