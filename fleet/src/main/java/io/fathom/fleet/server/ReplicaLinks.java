// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import io.fathom.base.lang.Backoff;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Timeline;
import io.fathom.model.fleet.OriginCopy;
import io.fathom.wire.fleet.FleetClient;
import io.fathom.wire.fleet.FleetLink;
import io.fathom.wire.fleet.ServerAddress;
import io.fathom.wire.pki.TlsIdentity;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Follows the other management servers of the fleet, each by a stream of its own; one of the addresses may be our own.
/// Everything happens on one thread.
final class ReplicaLinks implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ReplicaLinks.class);
    private static final Duration LOOK_EVERY = Duration.ofSeconds(2);

    private final FleetHub hub;
    private final String fleet;
    private final Supplier<TlsIdentity> identity;
    private final Supplier<List<ServerAddress>> addresses;
    private final Timeline timeline;
    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final ExecutorService thread = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().name("fleet-replicas").factory());
    private final FleetClient client;
    private volatile int connected;
    private volatile boolean closed;
    // Confined to the thread.
    private final Map<ServerAddress, ReplicaLink> links = new HashMap<>();
    private final Set<ServerAddress> own = new HashSet<>();

    /// @param addresses of all servers; may block
    ReplicaLinks(
            FleetHub hub,
            String fleet,
            Supplier<TlsIdentity> identity,
            Supplier<List<ServerAddress>> addresses,
            Timeline timeline) {
        this.hub = hub;
        this.fleet = fleet;
        this.identity = identity;
        this.addresses = addresses;
        this.timeline = timeline;
        this.client = new FleetClient(loops.next(), timeline);
        run(this::look);
    }

    /// How many servers are followed.
    int connected() {
        return connected;
    }

    private void look() {
        var found = addresses.get();
        own.retainAll(found);
        for (var address : List.copyOf(links.keySet())) {
            if (!found.isEmpty() && !found.contains(address)) { // a name that cannot be looked up takes nothing away
                Optional.ofNullable(links.remove(address)).ifPresent(ReplicaLink::close);
            }
        }
        for (var address : found) {
            if (!own.contains(address)) {
                links.computeIfAbsent(address, ReplicaLink::new).see();
            }
        }
        connected = (int) links.values().stream().filter(ReplicaLink::isOpen).count();
        var _ = timeline.at(timeline.instant().plus(LOOK_EVERY), () -> run(this::look));
    }

    private void run(Runnable task) {
        try {
            thread.execute(() -> {
                if (!closed) {
                    task.run();
                }
            });
        } catch (RejectedExecutionException _) {
            // it was closed
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.shutdown();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }

    /// One other server.
    private final class ReplicaLink {
        private final ServerAddress address;
        private final Backoff backoff =
                new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(30), new SplittableRandom());
        private @Nullable FollowedStream stream;
        private Instant next = Instant.MIN;
        private boolean told;

        ReplicaLink(ServerAddress address) {
            this.address = address;
        }

        boolean isOpen() {
            return stream != null;
        }

        void see() {
            if (stream != null) {
                stream.receiver.tick();
            } else if (!timeline.instant().isBefore(next)) {
                stream = new FollowedStream(this);
            }
        }

        void ended(FollowedStream which, Optional<Problem> problem) {
            if (!which.equals(stream)) {
                return;
            }
            stream = null;
            if (problem.filter(it -> it.code().equals("same-server")).isPresent()) {
                own.add(address);
                links.remove(address);
                return;
            }
            next = timeline.instant().plus(backoff.next());
            if (problem.isPresent() && !told) {
                told = true; // once, until it is followed again
                log.atWarn()
                        .addKeyValue("server", address)
                        .addKeyValue("problem", problem.get())
                        .log("another server is not followed");
            }
        }

        void close() {
            if (stream != null) {
                stream.close();
            }
        }
    }

    /// One stream to it.
    private final class FollowedStream implements FleetLink.LinkListener<OriginCopy> {
        private final ReplicaLink owner;
        private final FleetLink<OriginCopy> link;
        private final CopyReceiver receiver;

        FollowedStream(ReplicaLink owner) {
            this.owner = owner;
            this.link = client.follow(owner.address, fleet, identity.get(), this);
            this.receiver = hub.receiver(link::send);
            link.send(hub.replicaHello());
        }

        @Override
        public void received(OriginCopy message) {
            run(() -> {
                if (equals(owner.stream)) {
                    owner.backoff.reset();
                    owner.told = false;
                    receiver.take(message);
                }
            });
        }

        @Override
        public void ended(Optional<Problem> problem) {
            run(() -> owner.ended(this, problem));
        }

        void close() {
            link.close();
        }
    }
}
