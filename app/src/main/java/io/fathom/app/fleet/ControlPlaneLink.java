// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fleet;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Timeline;
import io.fathom.base.work.Parts;
import io.fathom.fleet.agent.LocalControlPlane;
import io.fathom.model.fleet.ExportChange;
import io.fathom.model.fleet.OriginView;
import io.fathom.model.mesh.Identity;
import io.fathom.model.peering.ClusterSummary;
import io.fathom.model.peering.ControlPlanes;
import io.fathom.model.peering.FeedUp;
import io.fathom.model.peering.GatewayReach;
import io.fathom.model.peering.ReachChange;
import io.fathom.model.peering.ResourceDelta;
import io.fathom.model.peering.ServiceEndpoints;
import io.fathom.model.peering.ServiceSummary;
import io.fathom.wire.peering.FeedClient;
import io.fathom.wire.peering.OriginBook;
import io.fathom.wire.peering.PeerClient;
import io.fathom.wire.peering.PeerSink;
import io.fathom.wire.peering.PeerTarget;
import io.netty.channel.EventLoop;
import io.netty.resolver.DefaultAddressResolverGroup;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/// The streams of an agent to the control plane of its own cluster: one on which it hears what that exports, and one to
/// each of its replicas, on which it tells what other clusters have. Any thread.
final class ControlPlaneLink implements LocalControlPlane {
    private static final Duration LOOK_UP = Duration.ofSeconds(5);

    /// Whose agent it is.
    ///
    /// @param namespace of the control plane, and of the agent's account
    record AgentRole(String cluster, String namespace, String trustDomain, String software) {}

    /// How gateways were reached at some time.
    private record Reached(List<GatewayReach> rows, Instant at) {}

    /// Who knows the replicas of a control plane.
    @FunctionalInterface
    interface ReplicaSource {
        /// Tells the addresses of all, one of each, now and whenever they change.
        AutoCloseable open(Consumer<Set<String>> sink);
    }

    private final AgentRole role;
    private final ControlPlaneAddress address;
    private final PeerClient.PeerSettings settings;
    private final Timeline timeline;
    private final EventLoop loop;
    private final Optional<ReplicaSource> source;
    private final OriginBook book = new OriginBook();
    private final String instance = UUID.randomUUID().toString();
    private final Map<String, FeedClient> feeds = new ConcurrentHashMap<>();
    private final Parts parts = new Parts();
    private volatile Supplier<Collection<OriginView>> known = List::of;
    private volatile Optional<PeerClient> exports = Optional.empty();
    private volatile Set<String> issuers = Set.of();
    private volatile Optional<Reached> reached = Optional.empty();
    private volatile boolean listed;
    private volatile boolean closed;

    /// @param source who knows the replicas; without it, and until it has said something, their name is looked up
    ControlPlaneLink(
            AgentRole role,
            ControlPlaneAddress address,
            Optional<ReplicaSource> source,
            Timeline timeline,
            EventLoop loop) {
        this.source = source;
        this.role = role;
        this.address = address;
        this.timeline = timeline;
        this.loop = loop;
        this.settings = new PeerClient.PeerSettings(
                role.cluster(), () -> "", role.namespace(), "fathom-agent", address.dialler(), timeline, loop);
    }

    @Override
    public void follow(Consumer<ExportChange> changes, Supplier<Collection<OriginView>> views) {
        known = views;
        exports = Optional.of(parts.keep(PeerClient.start(settings, target(address.host()), new Exports(changes))));
        if (source.isPresent()) {
            parts.keep(source.get().open(this::listed));
            lookUpLater();
        } else {
            lookUp();
        }
    }

    private void listed(Set<String> replicas) {
        listed = true;
        feed(replicas);
    }

    private PeerTarget target(String host) {
        var plane = new Identity(role.trustDomain(), role.namespace(), ControlPlanes.ACCOUNT);
        return new PeerTarget(role.cluster(), List.of(host), address.port(), Set.of(plane), Set.of());
    }

    /// Each replica serves others, so each has to know.
    private void lookUp() {
        if (closed || listed) {
            return;
        }
        var _ = DefaultAddressResolverGroup.INSTANCE
                .getResolver(loop)
                .resolveAll(InetSocketAddress.createUnresolved(address.host(), address.port()))
                .addListener(done -> {
                    if (done.isSuccess() && !listed) {
                        @SuppressWarnings("unchecked")
                        var found = (List<InetSocketAddress>) done.getNow();
                        var family = found.getFirst().getAddress().getClass(); // two would be two agents to a replica
                        feed(found.stream()
                                .map(InetSocketAddress::getAddress)
                                .filter(family::isInstance)
                                .map(InetAddress::getHostAddress)
                                .collect(Collectors.toSet()));
                    }
                    lookUpLater();
                });
    }

    private void lookUpLater() {
        var _ = timeline.at(timeline.instant().plus(LOOK_UP), this::lookUp);
    }

    private synchronized void feed(Set<String> replicas) {
        if (closed) {
            return;
        }
        feeds.forEach((replica, feed) -> {
            if (!replicas.contains(replica)) {
                feed.close();
            }
        });
        feeds.keySet().retainAll(replicas);
        for (var replica : replicas) {
            feeds.computeIfAbsent(
                    replica,
                    host -> FeedClient.start(
                            settings,
                            target(host),
                            new FeedUp.Hello(instance, role.software(), role.cluster()),
                            book,
                            this::refresh));
        }
    }

    /// Everything that the agent knows, for a control plane that has just been connected.
    private void refresh() {
        known.get().forEach(this::tell);
        book.settle();
    }

    @Override
    public void tell(OriginView view) {
        book.tell(new FeedUp.Origin(
                view.cluster().cluster(),
                Optional.of(view.cluster()),
                new ResourceDelta<>(view.changed(), view.removedPaths()),
                ResourceDelta.none(),
                switch (view.extent()) {
                    case ALL -> FeedUp.OriginPart.WHOLE;
                    case DELTA -> FeedUp.OriginPart.MORE;
                }));
    }

    @Override
    public void forget(String cluster) {
        book.forget(cluster);
    }

    /// How old what the control plane is told is.
    void age(Optional<Duration> server, Map<String, Duration> clusters) {
        book.age(server, clusters);
    }

    /// What is wrong with the streams.
    @Override
    public List<Problem> problems() {
        var problems = new ArrayList<Problem>();
        exports.flatMap(client -> client.standing().trouble())
                .map(problem -> new Problem(
                        "control-plane-unreachable",
                        problem.message(),
                        "check --control-plane, its token, and --cluster-id",
                        problem.origin(),
                        problem.retry()))
                .ifPresent(problems::add);
        feeds.values().forEach(feed -> feed.standing().trouble().ifPresent(problems::add));
        return problems;
    }

    @Override
    public Set<String> issuers() {
        return issuers;
    }

    /// Of several replicas those count that are connected, and for each gateway the one that reaches it worst; without
    /// any, what was known last.
    @Override
    public Optional<LocalReach> reach() {
        var now = timeline.instant();
        var connected = feeds.values().stream()
                .filter(feed -> feed.standing().connected())
                .flatMap(feed -> feed.reach().stream())
                .toList();
        if (!connected.isEmpty()) {
            var worst = new TreeMap<ReachChange.ReachRow, GatewayReach>();
            connected.forEach(found -> found.forEach((row, reach) -> worst.merge(
                    row, reach, (one, other) -> one.verdict().compareTo(other.verdict()) >= 0 ? one : other)));
            reached = Optional.of(new Reached(List.copyOf(worst.values()), now));
        }
        return reached.map(found -> new LocalReach(
                found.rows(), Optional.of(Duration.between(found.at(), now)).filter(Duration::isPositive)));
    }

    /// How many replicas of the control plane listen.
    int listening() {
        return (int) feeds.values().stream()
                .filter(feed -> feed.standing().connected())
                .count();
    }

    @Override
    public void close() {
        closed = true;
        synchronized (this) {
            feeds.values().forEach(FeedClient::close);
            feeds.clear();
        }
        parts.close();
    }

    /// What our control plane exports. Called by one thread.
    private final class Exports implements PeerSink {
        private final Consumer<ExportChange> changes;
        private final Map<String, ServiceSummary> held = new HashMap<>();
        private boolean complete;

        Exports(Consumer<ExportChange> changes) {
            this.changes = changes;
        }

        @Override
        public void opened() {
            complete = false;
        }

        @Override
        public void complete() {
            complete = true;
            changes.accept(new ExportChange.All(List.copyOf(held.values())));
        }

        @Override
        public void cluster(ClusterSummary summary) {
            issuers = summary.issuers();
        }

        @Override
        public void services(List<ServiceSummary> changed, List<String> gone) {
            changed.forEach(service -> held.put(service.path(), service));
            held.keySet().removeAll(gone);
            if (complete) {
                changes.accept(new ExportChange.Delta(changed, gone));
            }
        }

        @Override
        public void endpoints(List<ServiceEndpoints> changed, List<String> gone) {}
    }
}
