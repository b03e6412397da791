// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.ca;

import io.fathom.wire.auth.BoundedTasks;
import io.fathom.wire.auth.CallGate;
import io.fathom.wire.proto.ca.IstioCertificateRequest;
import io.fathom.wire.proto.ca.IstioCertificateResponse;
import io.fathom.wire.proto.ca.IstioCertificateServiceGrpc;
import io.grpc.Context;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// `istio.v1.auth.IstioCertificateService` for a gRPC server. A request is read only after its caller is known; each is
/// then answered on a virtual thread of its own, and more than a fixed number at once are turned away.
public final class CertificateService implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(CertificateService.class);
    private static final Context.Key<CertificateHandler.Session> SESSION = Context.key("certificate-session");

    private final CertificateHandler handler;
    private final BoundedTasks tasks;

    public CertificateService(CertificateHandler handler, int atOnce) {
        this.handler = handler;
        this.tasks = new BoundedTasks("certificate-call", atOnce);
    }

    public ServerServiceDefinition definition() {
        return ServerInterceptors.intercept(new Binding(), new CallGate<>(SESSION, handler::admit, tasks));
    }

    /// Waits for the calls that are under way.
    @Override
    public void close() {
        tasks.close();
    }

    private final class Binding extends IstioCertificateServiceGrpc.IstioCertificateServiceImplBase {
        @Override
        public void createCertificate(
                IstioCertificateRequest request, StreamObserver<IstioCertificateResponse> observer) {
            if (observer instanceof ServerCallStreamObserver<?> call) {
                call.setOnCancelHandler(() -> {}); // else an answer to a client that has left is an exception
            }
            var session = SESSION.get();
            try {
                tasks.execute(() -> answer(session, request, observer));
            } catch (RejectedExecutionException e) {
                observer.onError(CallGate.OVERLOADED.asException());
            }
        }
    }

    private static void answer(
            CertificateHandler.Session session,
            IstioCertificateRequest request,
            StreamObserver<IstioCertificateResponse> observer) {
        try {
            switch (session.answer(OrderCodec.decode(request))) {
                case CertificateReply.Issued issued -> {
                    observer.onNext(IstioCertificateResponse.newBuilder()
                            .addAllCertChain(issued.chain())
                            .build());
                    observer.onCompleted();
                }
                case CertificateReply.Denied denied ->
                    observer.onError(status(denied).asException());
            }
        } catch (RuntimeException | Error e) {
            log.atError().setCause(e).log("a certificate request failed because of a bug");
            observer.onError(Status.INTERNAL.withDescription("internal error").asException());
        }
    }

    private static Status status(CertificateReply.Denied denied) {
        var status = switch (denied.kind()) {
            case UNAUTHENTICATED -> Status.UNAUTHENTICATED;
            case INVALID -> Status.INVALID_ARGUMENT;
            case FAILED -> Status.INTERNAL;
        };
        return status.withDescription(denied.message());
    }
}
