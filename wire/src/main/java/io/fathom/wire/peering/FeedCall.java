// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.peering;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.peering.FeedDown;
import io.fathom.wire.auth.CallGate;
import io.fathom.wire.proto.feed.FeedUp;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One stream of an agent on gRPC. A message is taken in on a thread of its own, as that may take long; then the next
/// one is asked for. What goes back is little: one line for each message.
final class FeedCall implements StreamObserver<FeedUp>, FeedHandler.FeedOutlet {
    private static final Logger log = LoggerFactory.getLogger(FeedCall.class);

    private final ServerCallStreamObserver<io.fathom.wire.proto.feed.FeedDown> out;
    private final Executor tasks;
    private final FeedHandler.FeedSession session;
    /// One thread at a time in the session.
    private final ReentrantLock turn = new ReentrantLock();

    private boolean told; // guarded by turn
    private volatile boolean over;

    private FeedCall(
            ServerCallStreamObserver<io.fathom.wire.proto.feed.FeedDown> out,
            FeedHandler handler,
            String caller,
            Executor tasks) {
        this.out = out;
        this.tasks = tasks;
        this.session = handler.open(caller, this);
    }

    static FeedCall begin(
            ServerCallStreamObserver<io.fathom.wire.proto.feed.FeedDown> out,
            FeedHandler handler,
            String caller,
            Executor tasks) {
        out.disableAutoRequest();
        var call = new FeedCall(out, handler, caller, tasks);
        out.setOnCancelHandler(call::leave);
        out.request(1);
        return call;
    }

    @Override
    public void onNext(FeedUp message) {
        try {
            tasks.execute(() -> take(message));
        } catch (RejectedExecutionException _) {
            finish(CallGate.OVERLOADED);
        }
    }

    private void take(FeedUp message) {
        turn.lock();
        try {
            if (over) {
                return;
            }
            var decoded = FeedCodec.decode(message, this::send);
            decoded.ifPresent(session::received);
            send(new FeedDown.Taken(1));
            out.request(1);
        } catch (ProblemException e) {
            end(e.problem());
        } catch (RuntimeException e) {
            log.atError().setCause(e).log("a message of an agent could not be taken in because of a bug");
            finish(Status.INTERNAL.withDescription("internal error"));
        } finally {
            turn.unlock();
        }
    }

    @Override
    public void send(FeedDown message) {
        synchronized (out) {
            if (!over) {
                out.onNext(FeedCodec.encode(message));
            }
        }
    }

    @Override
    public void end(Problem problem) {
        var status = problem.retry() == Problem.Retry.SENSIBLE ? Status.UNAVAILABLE : Status.FAILED_PRECONDITION;
        finish(status.withDescription(problem.code() + ": " + problem));
    }

    private void finish(Status status) {
        synchronized (out) {
            if (!over) {
                over = true;
                out.onError(status.asException());
            }
        }
        leave();
    }

    private void leave() {
        over = true;
        try {
            tasks.execute(this::tell);
        } catch (RejectedExecutionException _) {
            tell();
        }
    }

    private void tell() {
        turn.lock();
        try {
            if (!told) {
                told = true;
                session.ended();
            }
        } finally {
            turn.unlock();
        }
    }

    @Override
    public void onError(Throwable reason) {
        leave();
    }

    @Override
    public void onCompleted() {
        synchronized (out) {
            if (!over) {
                over = true;
                out.onCompleted();
            }
        }
        leave();
    }
}
