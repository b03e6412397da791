// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.stream;

import io.fathom.wire.xds.store.Range;
import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.store.StoreCut;
import io.fathom.wire.xds.store.StreamLimits;
import io.fathom.wire.xds.store.View;
import io.fathom.wire.xds.store.XdsResponse;
import io.fathom.wire.xds.store.XdsType;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// The incremental protocol for one client.
///
/// Each time the client can take something it is brought to the latest cut in this order: new and changed policies,
/// addresses, removed policies. So it never holds a workload whose policy it has not got. The first addresses wait a
/// moment for the client to subscribe to policies at all.
public final class DeltaStream implements XdsStream {
    private final ClientNode client;
    private final ResourceStore store;
    private final StreamLimits limits;
    private final InstantSource clock;

    private final Map<XdsType, Watch> watches = new HashMap<>();
    private final Map<View, DeltaWatch> stored = new EnumMap<>(View.class);
    private final List<UnservedWatch> unserved = new ArrayList<>();
    private final Map<XdsType, WatchStatus> statuses = new ConcurrentHashMap<>();
    /// The rest of what was made for the last cut; bounded by the size of one cut.
    private final ArrayDeque<XdsResponse> pending = new ArrayDeque<>();

    /// The latest response of a type that the client has answered, whatever it said.
    private final Map<XdsType, String> answered = new HashMap<>();

    private final AddressHold hold;
    /// Whether the client has addresses from before, all of them, and has not been told any here.
    private boolean returning;

    public DeltaStream(ClientNode client, ResourceStore store, StreamLimits limits, InstantSource clock) {
        this.client = client;
        this.store = store;
        this.limits = limits;
        this.clock = clock;
        this.hold = new AddressHold(clock, limits.policyWait());
    }

    @Override
    public Receipt receive(XdsRequest request) {
        var type = request.type();
        if (type.equals(XdsType.HEALTH)) {
            return new Receipt.Taken();
        }
        if (type.url().isEmpty()) {
            throw StreamRejection.invalid("missing type_url");
        }
        var watch = watches.get(type);
        if (watch == null) {
            subscribe(request);
            return new Receipt.Taken();
        }
        var receipt = acknowledge(request, statuses.getOrDefault(type, WatchStatus.of(type)));
        // Also when the nonce is old: the client sends a change only once.
        watch.change(request.subscribe(), request.unsubscribe());
        show(type, watch);
        return receipt;
    }

    private void subscribe(XdsRequest request) {
        if (watches.size() >= limits.types()) {
            throw StreamRejection.exhausted("a stream may subscribe to at most " + limits.types() + " types");
        }
        var type = request.type();
        var watch = View.of(type).<Watch>map(view -> store(view, request)).orElseGet(() -> answerOnly(request));
        watches.put(type, watch);
        statuses.put(type, WatchStatus.of(type));
        show(type, watch);
    }

    private DeltaWatch store(View view, XdsRequest request) {
        var watch = new DeltaWatch(view, store, limits, client, request);
        stored.put(view, watch);
        hold.subscribed(view);
        returning |= view.showsAddresses()
                && watch.isWildcard()
                && !request.initial().isEmpty();
        return watch;
    }

    private UnservedWatch answerOnly(XdsRequest request) {
        var watch = new UnservedWatch(request.type(), store, limits, request);
        unserved.add(watch);
        return watch;
    }

    private Receipt acknowledge(XdsRequest request, WatchStatus known) {
        var type = request.type();
        answered.put(type, request.nonce());
        if (request.error().isPresent()) {
            statuses.put(type, known.refused(request.error().get()));
            return new Receipt.Refused(type, request.error().get());
        }
        if (request.nonce().isEmpty()) {
            return new Receipt.Taken();
        }
        if (!request.nonce().equals(known.sentNonce())) {
            return new Receipt.Expired(type);
        }
        statuses.put(type, known.acked(request.nonce()));
        return new Receipt.Acknowledged(type);
    }

    @Override
    public Optional<XdsResponse> next() {
        if (pending.isEmpty()) {
            fill(store.head());
        }
        var response = Optional.ofNullable(pending.poll());
        response.ifPresent(sent -> {
            statuses.computeIfPresent(sent.type(), (_, status) -> status.sent(sent, clock.instant()));
        });
        return response;
    }

    private void fill(StoreCut head) {
        if (advance(View.TRUST, head, Range.Part.BOTH) || advance(View.AUTHORIZATION, head, Range.Part.PUTS)) {
            return;
        }
        if (!hold.isOver() || (returning && store.isNewsHeld())) {
            return;
        }
        returning = false;
        if (advance(View.ADDRESS, head, Range.Part.BOTH)
                || advance(View.WORKLOAD, head, Range.Part.BOTH)
                || advance(View.AUTHORIZATION, head, Range.Part.REMOVALS)
                || advance(View.PEER_CLUSTER, head, Range.Part.BOTH)
                || advance(View.PEER_SERVICE, head, Range.Part.BOTH)
                || advance(View.PEER_ENDPOINTS, head, Range.Part.BOTH)) {
            return;
        }
        for (var watch : unserved) {
            pending.addAll(watch.advance(head));
            if (!pending.isEmpty()) {
                return;
            }
        }
    }

    private boolean advance(View view, StoreCut head, Range.Part part) {
        var watch = stored.get(view);
        if (watch != null) {
            pending.addAll(watch.advance(head, part));
        }
        return !pending.isEmpty();
    }

    /// A client that refuses an address has heard of it, and nothing better will come. One that has yet to ask may have
    /// addresses from before.
    @Override
    public Standing standing(Milestone milestone) {
        if (!stored.containsKey(View.ADDRESS) && !stored.containsKey(View.WORKLOAD)) {
            return Standing.BEHIND;
        }
        for (var watch : stored.entrySet()) {
            var type = watch.getKey().type();
            if (watch.getKey().showsAddresses()
                    && (!watch.getValue().isToldOf(milestone.sequence()) || isUnanswered(type))) {
                return Standing.BEHIND;
            }
        }
        return Standing.ACKNOWLEDGED;
    }

    private boolean isUnanswered(XdsType type) {
        var sent = statuses.getOrDefault(type, WatchStatus.of(type)).sentNonce();
        return pending.stream().anyMatch(response -> response.type().equals(type))
                || (!sent.isEmpty() && !sent.equals(answered.get(type)));
    }

    @Override
    public Optional<Instant> wakeAt() {
        return hold.until();
    }

    @Override
    public Collection<WatchStatus> statuses() {
        return List.copyOf(statuses.values());
    }

    private void show(XdsType type, Watch watch) {
        var scope = watch.isWildcard() ? WatchStatus.Scope.WILDCARD : WatchStatus.Scope.NAMED;
        statuses.computeIfPresent(type, (_, status) -> status.subscribed(scope, watch.names()));
    }
}
