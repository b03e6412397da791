// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.fleet;

import io.fathom.base.lang.ProblemException;
import io.fathom.wire.proto.fleet.Up;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One stream on gRPC. A message is only made when the transport has room for it, so a slow agent has no queue
/// here: what it is due is worked out when it is ready. The session is guarded by this.
///
/// @param <M> what goes down
/// @param <D> the same as it travels
final class SyncCall<M, D> implements StreamObserver<Up>, FleetHandler.FleetOutlet {
    private static final Logger log = LoggerFactory.getLogger(SyncCall.class);

    private final ServerCallStreamObserver<D> out;
    private final Function<M, D> codec;
    private final Executor threads;
    private final AtomicBoolean due = new AtomicBoolean();
    private volatile boolean finishing;
    // Guarded by this.
    private FleetHandler.@Nullable FleetStream<M> session;
    private boolean over;

    SyncCall(ServerCallStreamObserver<D> out, Function<M, D> codec, Executor threads) {
        this.out = out;
        this.codec = codec;
        this.threads = threads;
        out.disableAutoRequest(); // what is not asked for stays with the sender
        out.setOnReadyHandler(this::send);
        out.setOnCancelHandler(this::end);
    }

    synchronized void begin(FleetHandler.FleetStream<M> opened) {
        session = opened;
        out.request(1);
    }

    synchronized void refuse(StatusException reason) {
        over = true;
        out.onError(reason);
    }

    @Override
    public void wake() {
        if (due.compareAndSet(false, true)) {
            execute(this::send);
        }
    }

    @Override
    public void finish() {
        finishing = true;
        wake();
    }

    private synchronized void send() {
        due.set(false);
        while (!over && session != null && out.isReady()) {
            Optional<M> next = session.next();
            if (next.isEmpty()) {
                if (finishing) {
                    out.onCompleted();
                    end();
                }
                return;
            }
            out.onNext(codec.apply(next.get()));
        }
    }

    @Override
    public synchronized void onNext(Up message) {
        if (over || session == null) {
            return;
        }
        try {
            FleetCodec.decode(message).ifPresent(session::received);
            askForMore(session.pause());
        } catch (ProblemException e) {
            out.onError(FleetRefusals.status(e));
            end();
        } catch (RuntimeException e) {
            log.atError().setCause(e).log("a message of an agent could not be taken because of a bug");
            out.onError(Status.INTERNAL.withDescription("internal error").asException());
            end();
        }
    }

    private void askForMore(Duration pause) {
        if (pause.isZero()) {
            out.request(1);
        } else {
            CompletableFuture.delayedExecutor(pause.toMillis(), TimeUnit.MILLISECONDS, this::execute)
                    .execute(() -> out.request(1));
        }
    }

    private void execute(Runnable task) {
        try {
            threads.execute(task);
        } catch (RejectedExecutionException _) {
            // the server ends
        }
    }

    @Override
    public void onError(Throwable reason) {
        end();
    }

    @Override
    public synchronized void onCompleted() {
        if (!over) {
            out.onCompleted();
            end();
        }
    }

    private synchronized void end() {
        if (!over) {
            over = true;
            if (session != null) {
                session.ended();
            }
        }
    }
}
