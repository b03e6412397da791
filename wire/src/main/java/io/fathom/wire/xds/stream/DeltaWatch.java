// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.stream;

import io.fathom.wire.xds.store.Catalog;
import io.fathom.wire.xds.store.Range;
import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.store.ResponseFactory;
import io.fathom.wire.xds.store.StoreCut;
import io.fathom.wire.xds.store.StreamLimits;
import io.fathom.wire.xds.store.View;
import io.fathom.wire.xds.store.XdsResource;
import io.fathom.wire.xds.store.XdsResponse;
import io.fathom.wire.xds.store.XdsType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// One type of the store on one delta stream: the subscription, and how far the client has been told.
///
/// A wildcard keeps no names. It gets responses that all such streams share; others are made for the client alone.
final class DeltaWatch implements Watch {
    static final String WILDCARD = "*";

    private final View view;
    private final ResourceStore store;
    private final StreamLimits limits;
    private final String node;

    /// Null for a wildcard.
    private @Nullable Interest interest;

    private InitialVersions retained = InitialVersions.NONE;
    private final Set<String> fresh = new LinkedHashSet<>();
    /// What the client holds that was gone when it reconnected, until removals are due.
    private final Set<String> departed = new LinkedHashSet<>();

    private boolean everythingDue;
    private boolean replyDue = true;
    private long puts;
    private long removals;

    DeltaWatch(View view, ResourceStore store, StreamLimits limits, ClientNode client, XdsRequest first) {
        this.view = view;
        this.store = store;
        this.limits = limits;
        this.node = view.source().equals(XdsType.ADDRESS) ? client.nodeName() : "";
        this.retained = first.initial();
        var wildcard = first.subscribe().isEmpty()
                || (first.subscribe().contains(WILDCARD) && !first.unsubscribe().contains(WILDCARD));
        if (wildcard) {
            everythingDue = true;
        } else {
            becomeNamed();
            ask(first.subscribe());
            ask(first.initial().names());
            first.unsubscribe().forEach(this::drop);
        }
    }

    @Override
    public boolean isWildcard() {
        return interest == null;
    }

    @Override
    public int names() {
        return interest == null ? 0 : interest.size();
    }

    /// Whether all up to that cut has been told.
    boolean isToldOf(long sequence) {
        return !replyDue && puts >= sequence && removals >= sequence && departed.isEmpty();
    }

    /// Every change of the subscription is answered.
    @Override
    public void change(List<String> subscribe, List<String> unsubscribe) {
        if (subscribe.isEmpty() && unsubscribe.isEmpty()) {
            return;
        }
        replyDue = true;
        var leavesAll = unsubscribe.contains(WILDCARD);
        if (leavesAll && interest == null) {
            becomeNamed();
        } else if (!leavesAll && interest != null && subscribe.contains(WILDCARD)) {
            interest = null;
            everythingDue = true;
        }
        ask(subscribe);
        unsubscribe.forEach(this::drop);
    }

    /// From now on only what is asked for, beginning here: nothing that is older has to be pushed.
    private void becomeNamed() {
        interest = new Interest(node);
        everythingDue = false;
        puts = store.head().sequence();
        removals = puts;
        if (!node.isEmpty()) {
            fresh.add(node);
        }
    }

    private void ask(List<String> names) {
        for (var name : names) {
            if (!name.equals(WILDCARD)) {
                fresh.add(name);
                if (interest != null) {
                    interest.ask(name);
                }
            }
        }
        if (fresh.size() > limits.names() || names() > limits.names()) {
            throw StreamRejection.exhausted("a stream may subscribe to at most " + limits.names() + " names of "
                    + view.type().url());
        }
    }

    private void drop(String name) {
        fresh.remove(name);
        if (interest != null) {
            interest.drop(name, store.head().catalog(view.source()));
        }
    }

    /// What the client is due at that cut, in as many pieces as needed.
    List<XdsResponse> advance(StoreCut to, Range.Part part) {
        var pushDue = (part.puts() && puts < to.sequence())
                || (part.removals() && (removals < to.sequence() || !departed.isEmpty()));
        var answerDue = part.puts() && replyDue;
        if (!pushDue && !answerDue) {
            return List.of();
        }
        if (interest != null) {
            return named(to, part, interest);
        }
        if (answerDue) {
            return answer(to, part);
        }
        var gone = part.removals() ? departed(to.catalog(view.source())) : List.<String>of();
        if (!gone.isEmpty()) {
            return reply(to, List.of(), gone, ResponseFactory.Aliases.OMITTED);
        }
        var from = part.puts() ? puts : removals;
        var responses = since(from, to).responses(view, part);
        reached(to, part);
        return responses;
    }

    private List<XdsResponse> answer(StoreCut to, Range.Part part) {
        replyDue = false;
        if (!everythingDue) {
            var found = new LinkedHashMap<String, XdsResource>();
            var gone = new ArrayList<String>();
            var catalog = to.catalog(view.source());
            for (var name : fresh) {
                if (!catalog.resolve(name, resource -> found.put(resource.name(), resource))) {
                    gone.add(name);
                }
            }
            fresh.clear();
            return reply(to, List.copyOf(found.values()), gone, ResponseFactory.Aliases.OMITTED);
        }
        everythingDue = false;
        fresh.clear();
        reached(to, Range.Part.BOTH);
        if (!retained.isEmpty()) {
            return difference(to, part);
        }
        var everything = since(0, to).responses(view, Range.Part.PUTS);
        return everything.isEmpty() ? reply(to, List.of(), List.of(), ResponseFactory.Aliases.OMITTED) : everything;
    }

    /// What a client that reconnects lacks, and what it holds that is no more.
    private List<XdsResponse> difference(StoreCut to, Range.Part part) {
        var catalog = to.catalog(view.source());
        var current = new HashSet<String>();
        var gone = new ArrayList<String>();
        for (int i = 0; i < retained.size(); i++) {
            var name = retained.names().get(i);
            var resource = catalog.get(name);
            if (resource == null || !view.includes(resource)) {
                gone.add(name);
            } else if (retained.isCurrent(i, resource)) {
                current.add(name);
            }
        }
        retained = InitialVersions.NONE;
        var missing = new ArrayList<XdsResource>();
        catalog.byName().forEach((name, resource) -> {
            if (!current.contains(name)) {
                missing.add(resource);
            }
        });
        if (!part.removals()) {
            departed.addAll(gone);
            gone.clear();
        }
        return reply(to, missing, gone, ResponseFactory.Aliases.OMITTED);
    }

    private List<XdsResponse> named(StoreCut to, Range.Part part, Interest wanted) {
        var catalog = to.catalog(view.source());
        var found = new LinkedHashMap<String, XdsResource>();
        var gone = new LinkedHashSet<String>();
        if (part.puts() && puts < to.sequence()) {
            for (var resource : since(puts, to).changes(view.source()).puts()) {
                if (wanted.wants(resource)) {
                    wanted.take(resource, catalog, found);
                }
            }
        }
        if (part.removals()) {
            gone.addAll(departed(catalog));
        }
        if (part.removals() && removals < to.sequence()) {
            for (var name : since(removals, to).changes(view.source()).removed()) {
                if (wanted.lose(name)) {
                    gone.add(name);
                }
            }
        }
        var answered = part.puts() && replyDue;
        if (answered) {
            replyDue = false;
            for (var name : fresh) {
                if (!catalog.resolve(name, resource -> wanted.take(resource, catalog, found)) && !name.equals(node)) {
                    gone.add(name);
                }
            }
            fresh.clear();
            forgetCurrent(found, gone, part);
        }
        reached(to, part);
        var resources = view.included(List.copyOf(found.values()));
        if (!answered && resources.isEmpty() && gone.isEmpty()) {
            return List.of();
        }
        return reply(to, resources, List.copyOf(gone), ResponseFactory.Aliases.SENT);
    }

    /// What the client has retained in its current version is not sent again; what is no more may have to wait.
    private void forgetCurrent(Map<String, XdsResource> found, Set<String> gone, Range.Part part) {
        for (int i = 0; i < retained.size(); i++) {
            var name = retained.names().get(i);
            var resource = found.get(name);
            if (resource != null && retained.isCurrent(i, resource)) {
                found.remove(name);
            }
            if (!part.removals() && gone.remove(name)) {
                departed.add(name);
            }
        }
        retained = InitialVersions.NONE;
    }

    /// Names found missing when only additions were due, and still missing.
    private List<String> departed(Catalog catalog) {
        if (departed.isEmpty()) {
            return List.of();
        }
        departed.removeIf(name -> catalog.get(name) != null);
        var names = List.copyOf(departed);
        departed.clear();
        return names;
    }

    private List<XdsResponse> reply(
            StoreCut to, List<XdsResource> resources, List<String> gone, ResponseFactory.Aliases aliases) {
        return store.responses().reply(view.type(), to, view.included(resources), gone, aliases);
    }

    private Range since(long from, StoreCut to) {
        return store.since(from, to)
                .orElseThrow(() -> StreamRejection.unavailable(
                        "this stream is too far behind to be told what was removed; reconnect"));
    }

    private void reached(StoreCut cut, Range.Part part) {
        if (part.puts()) {
            puts = cut.sequence();
        }
        if (part.removals()) {
            removals = cut.sequence();
        }
    }
}
