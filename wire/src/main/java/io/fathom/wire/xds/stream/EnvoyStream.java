// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.stream;

import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.store.ResponseFactory;
import io.fathom.wire.xds.store.StoreCut;
import io.fathom.wire.xds.store.StreamLimits;
import io.fathom.wire.xds.store.XdsResource;
import io.fathom.wire.xds.store.XdsResponse;
import io.fathom.wire.xds.store.XdsType;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// The incremental protocol for one Envoy, with the order that it needs: clusters, their endpoints, listeners, routes,
/// secrets, the rest, and last the clusters that are no more.
///
/// An Envoy keeps a changed cluster aside until its endpoints come again, and does not ask for them: so they follow
/// every cluster. While it does so it withholds the acknowledgement of clusters, and listeners and routes wait for
/// that, because they may lead to the new clusters; but not for long, since a cluster may have to wait for something
/// else.
///
/// What is refused is not sent again, with two exceptions. Of several listeners or clusters in a response an Envoy
/// takes all good ones; of several resources of any other type it takes those before the first bad one, in an order of
/// its own. So these are sent again one by one: the good ones arrive, and the bad one is known. Likewise where an Envoy
/// has more to say about listeners or clusters than it says.
public final class EnvoyStream implements XdsStream {
    /// How long listeners and routes wait for clusters to be ready.
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private static final List<XdsType> AFTER_CLUSTERS =
            List.of(XdsType.LISTENER, XdsType.ROUTES, XdsType.SECRET, XdsType.EXTENSION);
    /// Each resource of a response is taken or refused for itself.
    private static final Set<XdsType> TAKEN_EACH = Set.of(XdsType.CLUSTER, XdsType.LISTENER);

    /// How a complaint of more than 4 KiB ends.
    private static final String CUT_SHORT = "...(truncated)";

    private final ResourceStore store;
    private final OwnSecrets own;
    private final StreamLimits limits;
    private final InstantSource clock;
    private final Map<XdsType, EnvoyWatch> watches = new LinkedHashMap<>();
    private final Map<XdsType, WatchStatus> statuses = new ConcurrentHashMap<>();
    /// What the latest response of a type was about.
    private final Map<XdsType, Verdict> told = new HashMap<>();
    /// What has to be told again one by one; bounded by the size of one cut.
    private final Map<XdsType, OneByOne> singly = new HashMap<>();
    /// The rest of what was made for the last cut; bounded by the size of one cut.
    private final ArrayDeque<XdsResponse> pending = new ArrayDeque<>();
    /// The latest response of a type that the client has answered, whatever it said.
    private final Map<XdsType, String> answered = new HashMap<>();
    /// What the client refuses in its latest version; bounded by what there is.
    private final Map<XdsType, Set<String>> refused = new HashMap<>();
    /// Until when clusters that were sent may keep others waiting.
    private Optional<Instant> clustersUntil = Optional.empty();
    private Optional<EnvoyWatch> ownWatch = Optional.empty();

    /// @param own what this client alone gets
    public EnvoyStream(ResourceStore store, OwnSecrets own, StreamLimits limits, InstantSource clock) {
        this.store = store;
        this.own = own;
        this.limits = limits;
        this.clock = clock;
    }

    /// What it is configured from.
    public ResourceStore store() {
        return store;
    }

    /// What nobody else gets.
    public OwnSecrets own() {
        return own;
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
        followOwn(request);
        var rest = type.equals(XdsType.SECRET) ? request.about(name -> !OwnSecrets.isOwn(type, name)) : request;
        var watch = watches.get(type);
        if (watch == null) {
            begin(rest);
            return new Receipt.Taken();
        }
        var receipt = acknowledge(request, statuses.getOrDefault(type, WatchStatus.of(type)));
        watch.change(rest.subscribe(), rest.unsubscribe());
        show(watch);
        return receipt;
    }

    private void followOwn(XdsRequest request) {
        var some = request.about(name -> OwnSecrets.isOwn(request.type(), name));
        if (ownWatch.isPresent()) {
            ownWatch.get().change(some.subscribe(), some.unsubscribe());
        } else if (!some.subscribe().isEmpty()) {
            ownWatch = Optional.of(new EnvoyWatch(XdsType.SECRET, own.store(), limits, some));
            own.begin();
        }
    }

    private void begin(XdsRequest request) {
        if (watches.size() >= limits.types()) {
            throw StreamRejection.exhausted("a stream may subscribe to at most " + limits.types() + " types");
        }
        var type = request.type();
        var watch = new EnvoyWatch(type, store, limits, request);
        watches.put(type, watch);
        statuses.put(type, WatchStatus.of(type));
        show(watch);
    }

    private Receipt acknowledge(XdsRequest request, WatchStatus known) {
        var type = request.type();
        if (request.nonce().isEmpty()) {
            return new Receipt.Taken();
        }
        var latest = request.nonce().equals(known.sentNonce());
        if (latest && type.equals(XdsType.CLUSTER)) {
            clustersUntil = Optional.empty();
        }
        if (latest && singly.containsKey(type)) {
            singly.get(type).answered();
        }
        if (latest) {
            answered.put(type, request.nonce());
            Optional.ofNullable(refused.get(type)).ifPresent(names -> names.removeAll(named(type)));
        }
        if (request.error().isPresent()) {
            var error = request.error().get();
            statuses.put(type, known.refused(error));
            var accused = accused(type, error);
            refused.computeIfAbsent(type, _ -> new HashSet<>()).addAll(accused.names());
            return new Receipt.Refused(type, error, Optional.of(accused));
        }
        if (!latest) {
            return new Receipt.Expired(type);
        }
        statuses.put(type, known.acked(request.nonce()));
        return new Receipt.Acknowledged(type, Optional.ofNullable(told.get(type)));
    }

    private Collection<String> named(XdsType type) {
        return Optional.ofNullable(told.get(type)).map(Verdict::names).orElse(List.of());
    }

    /// Envoys name the resources that they refuse within the text. Nothing is accused that has yet to be told singly.
    private Verdict accused(XdsType type, String error) {
        var latest = told.getOrDefault(type, new Verdict(type, List.of(), 0));
        if (latest.names().size() > 1 && (!TAKEN_EACH.contains(type) || error.endsWith(CUT_SHORT))) {
            told.remove(type);
            singly.computeIfAbsent(type, _ -> new OneByOne()).add(latest.names());
            return new Verdict(type, List.of(), latest.sequence());
        }
        var named = latest.names().stream().filter(error::contains).toList();
        return named.isEmpty() ? latest : new Verdict(type, named, latest.sequence());
    }

    @Override
    public Optional<XdsResponse> next() {
        if (pending.isEmpty()) {
            fill(store.head());
        }
        var response = Optional.ofNullable(pending.poll());
        response.ifPresent(
                sent -> statuses.computeIfPresent(sent.type(), (_, status) -> status.sent(sent, clock.instant())));
        return response;
    }

    private void fill(StoreCut head) {
        if (clusters(head) || puts(XdsType.ENDPOINTS, head) || ownSecrets()) {
            return;
        }
        if (waitsForClusters()) {
            // What the client itself asks for may be what its clusters need.
            for (var watch : watches.values()) {
                if (watch.isReplyDue() && puts(watch.type(), head)) {
                    return;
                }
            }
            var _ = puts(XdsType.SECRET, head);
            return;
        }
        for (var type : AFTER_CLUSTERS) {
            if (puts(type, head) || removals(type, head)) {
                return;
            }
        }
        for (var type : watches.keySet()) {
            if (!type.equals(XdsType.CLUSTER) && puts(type, head)) {
                return;
            }
        }
        var _ = removals(XdsType.CLUSTER, head);
    }

    private boolean clusters(StoreCut head) {
        if (!puts(XdsType.CLUSTER, head)) {
            return false;
        }
        var sent = told.get(XdsType.CLUSTER);
        if (sent != null && !sent.names().isEmpty()) {
            watch(XdsType.ENDPOINTS).ifPresent(endpoints -> endpoints.repeat(sent.names()));
            clustersUntil = Optional.of(clock.instant().plus(PATIENCE));
        }
        return true;
    }

    /// Clusters and listeners may wait for them; nobody else judges them.
    private boolean ownSecrets() {
        var head = own.store().head();
        var found = ownWatch.flatMap(watch -> watch.puts(head)).orElse(List.of());
        if (!found.isEmpty()) {
            told.remove(XdsType.SECRET);
            pending.addAll(
                    store.responses().reply(XdsType.SECRET, head, found, List.of(), ResponseFactory.Aliases.OMITTED));
        }
        return !pending.isEmpty();
    }

    private boolean waitsForClusters() {
        clustersUntil = clustersUntil.filter(until -> clock.instant().isBefore(until));
        return clustersUntil.isPresent();
    }

    private boolean puts(XdsType type, StoreCut head) {
        var queue = singly.get(type);
        if (queue != null) {
            next(type, queue, head);
            if (!queue.isOver()) {
                return !pending.isEmpty();
            }
            singly.remove(type);
        }
        watch(type).flatMap(watch -> watch.puts(head)).ifPresent(resources -> reply(type, head, resources, List.of()));
        return !pending.isEmpty();
    }

    private void next(XdsType type, OneByOne queue, StoreCut head) {
        while (pending.isEmpty()) {
            var name = queue.next();
            if (name.isEmpty()) {
                return;
            }
            watch(type).flatMap(watch -> watch.current(name.get(), head)).ifPresent(resource -> {
                queue.sent();
                reply(type, head, List.of(resource), List.of());
            });
        }
    }

    /// Extensions are never removed: what refers to them goes first, and an Envoy would refuse it.
    private boolean removals(XdsType type, StoreCut head) {
        var gone = watch(type).map(watch -> watch.removals(head)).orElse(List.of());
        if (!gone.isEmpty() && !type.equals(XdsType.EXTENSION)) {
            reply(type, head, List.of(), gone);
        }
        return !pending.isEmpty();
    }

    private void reply(XdsType type, StoreCut head, List<XdsResource> resources, List<String> gone) {
        var names = new ArrayList<String>(resources.size());
        resources.forEach(resource -> names.add(resource.name()));
        told.put(type, new Verdict(type, names, head.sequence()));
        pending.addAll(store.responses().reply(type, head, resources, gone, ResponseFactory.Aliases.OMITTED));
    }

    private Optional<EnvoyWatch> watch(XdsType type) {
        return Optional.ofNullable(watches.get(type));
    }

    /// Listeners are told when their clusters are ready, and Envoys use them when they have the routes that they name.
    @Override
    public Standing standing(Milestone milestone) {
        for (var type : List.of(XdsType.LISTENER, XdsType.ROUTES)) {
            var names = milestone.names(type);
            if (!names.isEmpty() && !isAnswered(type, milestone.sequence(), names)) {
                return Standing.BEHIND;
            }
        }
        var refuses = milestone.names().entrySet().stream()
                .anyMatch(row -> !Collections.disjoint(refused.getOrDefault(row.getKey(), Set.of()), row.getValue()));
        return refuses ? Standing.REFUSED : Standing.ACKNOWLEDGED;
    }

    private boolean isAnswered(XdsType type, long sequence, Set<String> names) {
        var sent = statuses.getOrDefault(type, WatchStatus.of(type)).sentNonce();
        return watch(type).filter(watch -> watch.isToldOf(sequence, names)).isPresent()
                && !singly.containsKey(type)
                && pending.stream().noneMatch(response -> response.type().equals(type))
                && (sent.isEmpty() || sent.equals(answered.get(type)));
    }

    @Override
    public Optional<Instant> wakeAt() {
        return clustersUntil;
    }

    @Override
    public Collection<WatchStatus> statuses() {
        return List.copyOf(statuses.values());
    }

    private void show(EnvoyWatch watch) {
        var scope = watch.isWildcard() ? WatchStatus.Scope.WILDCARD : WatchStatus.Scope.NAMED;
        var more = watch.type().equals(XdsType.SECRET)
                ? ownWatch.map(EnvoyWatch::names).orElse(0)
                : 0;
        statuses.computeIfPresent(watch.type(), (_, status) -> status.subscribed(scope, watch.names() + more));
    }
}
