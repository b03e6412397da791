// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.peering;

import com.google.protobuf.InvalidProtocolBufferException;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryResponse;
import io.fathom.base.lang.Backoff;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.lang.Timeline;
import io.fathom.wire.dial.GrpcStream;
import io.fathom.wire.dial.MessagePieces;
import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Follows what another control plane says, for ever: when a stream ends it connects again, to the next address, and
/// goes on where it was. What it learnt stays meanwhile. Works on a thread of its own, which the sink may block.
public final class PeerClient implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(PeerClient.class);
    private static final String METHOD =
            "envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources";
    private static final Duration SHORTEST_WAIT = Duration.ofMillis(200);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(15);
    private static final int LARGEST = 64 << 20;

    /// What every client needs, whoever its peer is.
    ///
    /// @param cluster ours
    /// @param network that it is on now
    /// @param namespace of our control plane
    /// @param account of our control plane
    /// @param dialler how a peer is reached
    public record PeerSettings(
            String cluster,
            Supplier<String> network,
            String namespace,
            String account,
            PeerDialler dialler,
            Timeline timeline,
            EventLoop loop) {}

    /// How it goes.
    ///
    /// @param heard when something came last; empty if never
    /// @param trouble why it is not connected
    /// @param services how many are known
    public record Standing(boolean connected, Optional<Instant> heard, Optional<Problem> trouble, int services) {}

    private final PeerSettings settings;
    private final PeerProtocol protocol;
    private final ExecutorService thread;
    private final Backoff backoff = new Backoff(SHORTEST_WAIT, LONGEST_WAIT, RandomGenerator.getDefault());
    private volatile Standing standing = new Standing(false, Optional.empty(), Optional.empty(), 0);

    // on the thread
    private PeerTarget target;
    private @Nullable Attempt attempt;
    private int turn;

    private volatile boolean closed;

    private PeerClient(PeerSettings settings, PeerTarget target, PeerSink sink) {
        this.settings = settings;
        this.target = target;
        this.protocol = new PeerProtocol(
                settings.cluster(),
                settings.namespace(),
                settings.account(),
                target.cluster(),
                settings.network(),
                sink);
        this.thread = Executors.newSingleThreadExecutor(
                Thread.ofVirtual().name("peer-" + target.cluster()).factory());
    }

    /// Begins to connect.
    public static PeerClient start(PeerSettings settings, PeerTarget target, PeerSink sink) {
        var client = new PeerClient(settings, target, sink);
        client.run(client::connect);
        return client;
    }

    public Standing standing() {
        return standing;
    }

    /// From now on the peer is found there. What is known of it stays.
    public void move(PeerTarget other) {
        run(() -> {
            if (!other.equals(target)) {
                target = other;
                turn = 0;
                backoff.reset();
                drop();
                connect();
            }
        });
    }

    /// Begins another stream. What is known stays.
    public void askAnew() {
        run(() -> {
            drop();
            connect();
        });
    }

    private void connect() {
        if (closed) {
            return;
        }
        var host = target.hosts().get(Math.floorMod(turn++, target.hosts().size()));
        var next = new Attempt(place(host, target.port()));
        attempt = next;
        try {
            next.stream = settings.dialler().open(host, target, METHOD, next, settings.loop());
            next.stream.send(protocol.open().toByteArray());
        } catch (ProblemException e) {
            failed(next, e.problem());
        }
    }

    static String place(String host, int port) {
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }

    private void failed(Attempt which, Problem problem) {
        if (!which.equals(attempt)) {
            return;
        }
        drop();
        var isNew = !standing.trouble().map(Problem::code).equals(Optional.of(problem.code()));
        standing = new Standing(false, standing.heard(), Optional.of(problem), protocol.size());
        if (isNew) {
            log.atWarn()
                    .addKeyValue("cluster", target.cluster())
                    .addKeyValue("code", problem.code())
                    .addKeyValue("problem", problem)
                    .log("peer cannot be followed");
        }
        settings.timeline()
                .at(
                        settings.timeline().instant().plus(backoff.next()),
                        () -> run(() -> {
                            if (attempt == null) {
                                connect();
                            }
                        }));
    }

    private void drop() {
        if (attempt != null && attempt.stream != null) {
            attempt.stream.close();
        }
        attempt = null;
    }

    private void run(Runnable task) {
        try {
            thread.execute(task);
        } catch (RejectedExecutionException _) {
            // it was closed
        }
    }

    /// Nothing reaches the sink after this.
    @Override
    public void close() {
        closed = true;
        run(this::drop);
        thread.close(); // waits for what is under way
    }

    /// One stream, and what has come of its next message.
    private final class Attempt implements GrpcStream.GrpcStreamListener {
        private final String place;
        private final MessagePieces messages = new MessagePieces(LARGEST);
        private @Nullable GrpcStream stream;

        Attempt(String place) {
            this.place = place;
        }

        @Override
        public void received(List<ByteBuf> pieces) {
            run(() -> take(pieces));
        }

        private void take(List<ByteBuf> pieces) {
            messages.add(pieces);
            if (closed || !equals(attempt) || stream == null) {
                return;
            }
            try {
                for (var message = messages.next(); message.isPresent(); message = messages.next()) {
                    protocol.received(DeltaDiscoveryResponse.parseFrom(message.get()))
                            .forEach(answer -> stream.send(answer.toByteArray()));
                    backoff.reset();
                    standing = new Standing(
                            true, Optional.of(settings.timeline().instant()), Optional.empty(), protocol.size());
                }
                stream.more();
            } catch (ProblemException e) {
                failed(this, e.problem());
            } catch (InvalidProtocolBufferException e) {
                failed(this, broken(String.valueOf(e.getMessage())));
            }
        }

        private Problem broken(String reason) {
            return unreachable("says something that cannot be read: " + reason);
        }

        @Override
        public void ended(Status status, GrpcStream.Progress progress) {
            run(() -> failed(this, unreachable("does not answer: " + status.getDescription())));
        }

        private Problem unreachable(String what) {
            return new Problem(
                    "peer-unreachable",
                    "the control plane of cluster " + target.cluster() + " at " + place + " " + what,
                    "check that the address leads to the east-west gateway of that cluster, that there is a Gateway for our"
                            + " cluster there, and that both clusters trust each other: fathomctl multicluster trust",
                    Problem.Origin.SERVER,
                    Problem.Retry.SENSIBLE);
        }
    }
}
