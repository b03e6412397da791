// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.peering;

import com.google.protobuf.InvalidProtocolBufferException;
import io.fathom.base.lang.Backoff;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.peering.FeedDown;
import io.fathom.model.peering.FeedUp;
import io.fathom.model.peering.GatewayReach;
import io.fathom.model.peering.ReachChange;
import io.fathom.wire.dial.GrpcStream;
import io.fathom.wire.dial.MessagePieces;
import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells one control plane what an [OriginBook] has, for ever: when a stream ends it connects again and tells all of
/// it. A few messages are under way at a time; what changes meanwhile is told once. Works on a thread of its own.
public final class FeedClient implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(FeedClient.class);
    private static final String METHOD = "fathom.feed.v1.ClusterFeed/Feed";
    private static final Duration SHORTEST_WAIT = Duration.ofMillis(100);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(3);
    private static final int UNDER_WAY = 8;
    private static final int LARGEST = 1 << 20;

    /// How it goes.
    ///
    /// @param heard when the control plane last said something; nothing if it never did
    /// @param trouble why it is not connected, or what it does not take
    public record FeedStanding(boolean connected, Optional<Instant> heard, Optional<Problem> trouble) {}

    private final PeerClient.PeerSettings settings;
    private final PeerTarget target;
    private final FeedUp.Hello hello;
    private final OriginBook book;
    private final Runnable refresh;
    private final ExecutorService thread;
    private final Backoff backoff = new Backoff(SHORTEST_WAIT, LONGEST_WAIT, RandomGenerator.getDefault());
    private final AtomicBoolean asked = new AtomicBoolean();
    private volatile FeedStanding standing = new FeedStanding(false, Optional.empty(), Optional.empty());
    private volatile Optional<Map<ReachChange.ReachRow, GatewayReach>> reach = Optional.empty();
    private volatile boolean closed;

    // on the thread
    private @Nullable Attempt attempt;
    private int turn;

    private FeedClient(
            PeerClient.PeerSettings settings,
            PeerTarget target,
            FeedUp.Hello hello,
            OriginBook book,
            Runnable refresh) {
        this.settings = settings;
        this.target = target;
        this.hello = hello;
        this.book = book;
        this.refresh = refresh;
        this.thread = Executors.newSingleThreadExecutor(
                Thread.ofVirtual().name("feed-" + target.hosts().getFirst()).factory());
    }

    /// Begins to connect.
    ///
    /// @param target the control plane of our own cluster
    /// @param refresh brings the book up to date, before all of it is told; may block
    public static FeedClient start(
            PeerClient.PeerSettings settings,
            PeerTarget target,
            FeedUp.Hello hello,
            OriginBook book,
            Runnable refresh) {
        var client = new FeedClient(settings, target, hello, book, refresh);
        client.run(client::connect);
        return client;
    }

    public FeedStanding standing() {
        return standing;
    }

    /// How the control plane reaches the gateways of other clusters, as it said last; nothing if it never did.
    public Optional<Map<ReachChange.ReachRow, GatewayReach>> reach() {
        return reach;
    }

    private void connect() {
        if (closed) {
            return;
        }
        var host = target.hosts().get(Math.floorMod(turn++, target.hosts().size()));
        var next = new Attempt(PeerClient.place(host, target.port()));
        attempt = next;
        try {
            next.stream = settings.dialler().open(host, target, METHOD, next, settings.loop());
            next.send(hello);
        } catch (ProblemException e) {
            failed(next, e.problem());
        }
    }

    private void failed(Attempt which, Problem problem) {
        if (!which.equals(attempt)) {
            return;
        }
        drop();
        var isNew = !standing.trouble().map(Problem::code).equals(Optional.of(problem.code()));
        standing = new FeedStanding(false, standing.heard(), Optional.of(problem));
        if (isNew) {
            log.atWarn()
                    .addKeyValue("code", problem.code())
                    .addKeyValue("problem", problem)
                    .log("the control plane cannot be told of other clusters");
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
        if (attempt != null) {
            attempt.end();
        }
        attempt = null;
    }

    /// There is more to say. Callers may hold the lock of the book.
    private void wake() {
        if (asked.compareAndSet(false, true)) {
            run(() -> {
                asked.set(false);
                if (attempt != null) {
                    attempt.tell();
                }
            });
        }
    }

    private void run(Runnable task) {
        try {
            thread.execute(task);
        } catch (RejectedExecutionException _) {
            // it was closed
        }
    }

    @Override
    public void close() {
        closed = true;
        run(this::drop);
        thread.close();
    }

    /// One stream.
    private final class Attempt implements GrpcStream.GrpcStreamListener {
        private final String place;
        private final MessagePieces messages = new MessagePieces(LARGEST);
        private @Nullable GrpcStream stream;
        private @Nullable FeedQueue queue;
        private int underWay;

        Attempt(String place) {
            this.place = place;
        }

        private void send(FeedUp message) {
            if (stream != null) {
                underWay++;
                stream.send(FeedCodec.encode(message).toByteArray());
            }
        }

        private void tell() {
            while (queue != null && underWay < UNDER_WAY) {
                var next = queue.next();
                if (next.isEmpty()) {
                    return;
                }
                send(next.get());
            }
        }

        private void end() {
            if (stream != null) {
                stream.close();
            }
            if (queue != null) {
                queue.close();
            }
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
                    FeedCodec.decode(io.fathom.wire.proto.feed.FeedDown.parseFrom(message.get()))
                            .ifPresent(this::heard);
                }
                stream.more();
            } catch (InvalidProtocolBufferException e) {
                failed(this, unreachable("says something that cannot be read: " + e.getMessage()));
            }
        }

        private void heard(FeedDown message) {
            var now = Optional.of(settings.timeline().instant());
            switch (message) {
                case FeedDown.Opened _ -> {
                    backoff.reset();
                    standing = new FeedStanding(true, now, Optional.empty());
                    refresh.run();
                    queue = book.open(FeedClient.this::wake);
                    log.atInfo().addKeyValue("controlPlane", place).log("the control plane listens");
                }
                case FeedDown.Taken(var messages) -> {
                    underWay -= messages;
                    standing = new FeedStanding(true, now, standing.trouble());
                }
                case FeedDown.Refused(var cluster, var resource, var reason) ->
                    standing = new FeedStanding(
                            true,
                            now,
                            Optional.of(Problem.ofInput(
                                    "feed-row-refused",
                                    "the control plane does not take " + resource + " of cluster " + cluster + ": "
                                            + reason,
                                    "check that both clusters run versions that know each other")));
                case FeedDown.Reach(var change) -> {
                    reach = Optional.of(change.after(reach.orElse(Map.of())));
                    standing = new FeedStanding(true, now, standing.trouble());
                }
            }
            tell();
        }

        @Override
        public void ended(Status status, GrpcStream.Progress progress) {
            run(() -> failed(this, problem(status)));
        }

        private Problem problem(Status status) {
            return status.getCode() == Status.Code.UNAUTHENTICATED
                            || status.getCode() == Status.Code.FAILED_PRECONDITION
                    ? new Problem(
                            "control-plane-refuses",
                            "the control plane at " + place + " refuses: " + status.getDescription(),
                            "check --control-plane, its token, and --cluster-id",
                            Problem.Origin.CLIENT,
                            Problem.Retry.SENSIBLE)
                    : unreachable("does not answer: " + status.getDescription());
        }

        private Problem unreachable(String what) {
            return new Problem(
                    "control-plane-unreachable",
                    "the control plane of this cluster at " + place + " " + what,
                    "check --control-plane, and that policies let us there",
                    Problem.Origin.SERVER,
                    Problem.Retry.SENSIBLE);
        }
    }
}
