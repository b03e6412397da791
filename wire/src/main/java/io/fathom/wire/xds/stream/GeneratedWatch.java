// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.stream;

import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.store.ResponseFactory;
import io.fathom.wire.xds.store.StoreCut;
import io.fathom.wire.xds.store.StreamLimits;
import io.fathom.wire.xds.store.XdsResource;
import io.fathom.wire.xds.store.XdsResponse;
import io.fathom.wire.xds.store.XdsType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// A type made for each client alone, on one delta stream. Such types have few resources, so what was sent is kept by
/// name and version and compared.
final class GeneratedWatch implements Watch {
    private final XdsType type;
    private final ResourceStore store;
    private final Generator generator;
    private final ClientNode client;
    private final StreamLimits limits;

    private boolean wildcard;
    private final Set<String> names = new LinkedHashSet<>();
    private final Set<String> fresh = new LinkedHashSet<>();
    private final Map<String, Long> sent = new HashMap<>();
    private boolean replyDue = true;
    private long reached;

    GeneratedWatch(
            XdsType type,
            ResourceStore store,
            Generator generator,
            StreamLimits limits,
            ClientNode client,
            XdsRequest first) {
        this.type = type;
        this.store = store;
        this.generator = generator;
        this.limits = limits;
        this.client = client;
        this.reached = store.head().sequence();
        this.wildcard = first.subscribe().isEmpty();
        sent.putAll(first.initial().byName());
        change(first.subscribe(), first.unsubscribe());
        replyDue = true;
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
            sent.remove(name);
        }
        if (names.size() > limits.names()) {
            throw StreamRejection.exhausted("a stream may subscribe to at most " + limits.names() + " names");
        }
    }

    List<XdsResponse> advance(StoreCut to) {
        var pushDue = reached < to.sequence() && generator.mayDiffer(client, type, reached, to);
        reached = to.sequence();
        if (!pushDue && !replyDue) {
            return List.of();
        }
        var changed = new ArrayList<XdsResource>();
        var versions = new HashMap<String, Long>();
        for (var resource : generator.generate(client, type, to)) {
            if (!wildcard && !names.contains(resource.name())) {
                continue;
            }
            versions.put(resource.name(), resource.versionBits());
            var known = sent.get(resource.name());
            if (known == null || known != resource.versionBits() || fresh.contains(resource.name())) {
                changed.add(resource);
            }
        }
        var gone = new LinkedHashSet<>(fresh);
        gone.addAll(sent.keySet());
        gone.removeAll(versions.keySet());
        sent.clear();
        sent.putAll(versions);
        fresh.clear();
        if (!replyDue && changed.isEmpty() && gone.isEmpty()) {
            return List.of();
        }
        replyDue = false;
        return store.responses().reply(type, to, changed, List.copyOf(gone), ResponseFactory.Aliases.OMITTED);
    }
}
