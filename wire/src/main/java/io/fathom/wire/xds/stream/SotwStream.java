// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.stream;

import io.fathom.wire.xds.store.Range;
import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.store.StoreCut;
import io.fathom.wire.xds.store.StreamLimits;
import io.fathom.wire.xds.store.View;
import io.fathom.wire.xds.store.XdsResource;
import io.fathom.wire.xds.store.XdsResponse;
import io.fathom.wire.xds.store.XdsType;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// The state-of-the-world protocol for one client: every response holds all that the client subscribes to of a type.
///
/// After a cut it is told of types in which something it sees has changed, policies first; where policies were only
/// removed, they come last.
public final class SotwStream implements XdsStream {
    private final ResourceStore store;
    private final StreamLimits limits;
    private final InstantSource clock;
    private final AddressHold hold;

    private final Map<XdsType, SotwWatch> watches = new LinkedHashMap<>();
    private final Map<XdsType, WatchStatus> statuses = new ConcurrentHashMap<>();

    public SotwStream(ResourceStore store, StreamLimits limits, InstantSource clock) {
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
        var unsubscribes = request.subscribe().isEmpty() && !type.emptyMeansAll();
        var watch = watches.get(type);
        var status = statuses.get(type);
        if (watch == null || status == null) {
            if (!unsubscribes) {
                begin(request);
            }
            return new Receipt.Taken();
        }
        if (request.error().isPresent()) {
            statuses.put(type, status.refused(request.error().get()));
            return new Receipt.Refused(type, request.error().get());
        }
        var spontaneous = request.nonce().isEmpty();
        if (!spontaneous && !request.nonce().equals(status.sentNonce())) {
            return new Receipt.Expired(type);
        }
        if (unsubscribes) {
            watches.remove(type);
            statuses.remove(type);
            return new Receipt.Taken();
        }
        watch.subscribe(request.subscribe());
        if (spontaneous) {
            watch.demandReply();
        }
        var heard = spontaneous ? status : status.acked(request.nonce());
        statuses.put(type, heard.subscribed(watch.scope(), watch.names()));
        return spontaneous ? new Receipt.Taken() : new Receipt.Acknowledged(type);
    }

    private void begin(XdsRequest request) {
        if (watches.size() >= limits.types()) {
            throw StreamRejection.exhausted("a stream may subscribe to at most " + limits.types() + " types");
        }
        var type = request.type();
        var watch = new SotwWatch(limits.names(), store.head().sequence());
        watch.subscribe(request.subscribe());
        watch.demandReply();
        watches.put(type, watch);
        statuses.put(type, WatchStatus.of(type).subscribed(watch.scope(), watch.names()));
        View.of(type).ifPresent(hold::subscribed);
    }

    @Override
    public Optional<XdsResponse> next() {
        var head = store.head();
        var response = policies(head, Range.Part.PUTS);
        if (response.isEmpty() && hold.isOver()) {
            response = others(head).or(() -> policies(head, Range.Part.BOTH));
        }
        response.ifPresent(
                sent -> statuses.computeIfPresent(sent.type(), (_, status) -> status.sent(sent, clock.instant())));
        return response;
    }

    /// Without additions there is no hurry: removals wait for the addresses.
    private Optional<XdsResponse> policies(StoreCut head, Range.Part part) {
        var watch = watches.get(XdsType.AUTHORIZATION);
        if (watch == null) {
            return Optional.empty();
        }
        if (watch.isReplyDue() || watch.isAffected(View.AUTHORIZATION, store, head, part)) {
            return Optional.of(response(XdsType.AUTHORIZATION, head, watch.state(View.AUTHORIZATION, head)));
        }
        if (part == Range.Part.BOTH) {
            watch.reached(head);
        }
        return Optional.empty();
    }

    private Optional<XdsResponse> others(StoreCut head) {
        for (var row : watches.entrySet()) {
            var type = row.getKey();
            var watch = row.getValue();
            if (type.equals(XdsType.AUTHORIZATION)) {
                continue;
            }
            var view = View.of(type);
            var affected = view.isPresent() && watch.isAffected(view.get(), store, head, Range.Part.BOTH);
            if (watch.isReplyDue() || affected) {
                var resources = view.isPresent() ? watch.state(view.get(), head) : watch.nothing(head);
                return Optional.of(response(type, head, resources));
            }
            watch.reached(head);
        }
        return Optional.empty();
    }

    private XdsResponse response(XdsType type, StoreCut head, List<XdsResource> resources) {
        return store.responses().stateOfTheWorld(type, head, resources);
    }

    @Override
    public Optional<Instant> wakeAt() {
        return hold.until();
    }

    /// No proxy speaks this protocol: nobody waits for it.
    @Override
    public Standing standing(Milestone milestone) {
        return Standing.ACKNOWLEDGED;
    }

    @Override
    public Collection<WatchStatus> statuses() {
        return List.copyOf(statuses.values());
    }
}
