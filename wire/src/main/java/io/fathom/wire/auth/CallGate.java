// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.auth;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Lets a call go on only after its caller is known, and gives the call's context a value for who that is. Finding out
/// may take a remote call, so it happens on the given executor; the call's own thread is never blocked, and nothing is
/// read from the caller meanwhile.
public final class CallGate<T> implements ServerInterceptor {
    /// What a call gets that finds no place.
    public static final Status OVERLOADED = Status.RESOURCE_EXHAUSTED.withDescription("too many calls at once");

    private static final Logger log = LoggerFactory.getLogger(CallGate.class);

    private final Context.Key<T> key;
    private final Function<Credentials, Admission<T>> admission;
    private final Executor executor;

    public CallGate(Context.Key<T> key, Function<Credentials, Admission<T>> admission, Executor executor) {
        this.key = key;
        this.admission = admission;
        this.executor = executor;
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        var waiting = new WaitingListener<Q>();
        var context = Context.current();
        try {
            executor.execute(() -> decide(call, headers, next, waiting, context));
        } catch (RejectedExecutionException e) {
            refuse(call, waiting, OVERLOADED);
        }
        return waiting;
    }

    private <Q, R> void decide(
            ServerCall<Q, R> call,
            Metadata headers,
            ServerCallHandler<Q, R> next,
            WaitingListener<Q> waiting,
            Context context) {
        switch (admit(call, headers)) {
            case Admission.Admitted<T> admitted ->
                waiting.open(Contexts.interceptCall(context.withValue(key, admitted.who()), call, headers, next));
            case Admission.Refused<T> refused ->
                refuse(call, waiting, Status.UNAUTHENTICATED.withDescription(refused.message()));
        }
    }

    private static <Q, R> void refuse(ServerCall<Q, R> call, WaitingListener<Q> waiting, Status status) {
        waiting.open(new ServerCall.Listener<>() {});
        call.close(status, new Metadata());
    }

    private Admission<T> admit(ServerCall<?, ?> call, Metadata headers) {
        try {
            return admission.apply(CredentialsReader.read(call.getAttributes(), headers));
        } catch (RuntimeException e) {
            log.atError().setCause(e).log("a caller could not be checked because of a bug");
            return new Admission.Refused<>("the caller could not be checked");
        }
    }
}
