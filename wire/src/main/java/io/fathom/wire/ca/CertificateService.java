package io.fathom.wire.ca;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.fathom.wire.auth.Credentials;
import io.fathom.wire.auth.CredentialsReader;
import io.fathom.wire.proto.ca.IstioCertificateRequest;
import io.fathom.wire.proto.ca.IstioCertificateResponse;
import io.fathom.wire.proto.ca.IstioCertificateServiceGrpc;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// `istio.v1.auth.IstioCertificateService` for a gRPC server. Each call runs on a virtual thread of its own; more than
/// a fixed number at once are turned away, not queued, so a flood costs no memory.
public final class CertificateService implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(CertificateService.class);
    private static final Context.Key<Credentials> CREDENTIALS = Context.key("credentials");
    private static final String IMPERSONATED_IDENTITY = "ImpersonatedIdentity";
    private static final long MAX_SECONDS = Duration.ofDays(365_000).toSeconds();

    private final CertificateHandler handler;
    private final Semaphore places;
    private final ExecutorService calls;

    public CertificateService(CertificateHandler handler, int atOnce) {
        this.handler = handler;
        this.places = new Semaphore(atOnce);
        this.calls = Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name("certificate-call-", 0).factory());
    }

    public ServerServiceDefinition definition() {
        return ServerInterceptors.intercept(new Binding(), new Presenting());
    }

    /// Waits for the calls that are under way.
    @Override
    public void close() {
        calls.close();
    }

    private final class Binding extends IstioCertificateServiceGrpc.IstioCertificateServiceImplBase {
        @Override
        public void createCertificate(
                IstioCertificateRequest request, StreamObserver<IstioCertificateResponse> observer) {
            if (!places.tryAcquire()) {
                observer.onError(status(new CertificateReply.Denied(
                                CertificateReply.Kind.OVERLOADED, "too many certificate requests at once"))
                        .asException());
                return;
            }
            var credentials = CREDENTIALS.get();
            try {
                calls.execute(() -> {
                    try {
                        answer(handler.handle(credentials, order(request)), observer);
                    } catch (RuntimeException | Error e) {
                        log.atError().setCause(e).log("a certificate request failed because of a bug");
                        observer.onError(Status.INTERNAL
                                .withDescription("internal error")
                                .asException());
                    } finally {
                        places.release();
                    }
                });
            } catch (RejectedExecutionException e) {
                places.release();
                observer.onError(
                        Status.UNAVAILABLE.withDescription("shutting down").asException());
            }
        }
    }

    private static void answer(CertificateReply reply, StreamObserver<IstioCertificateResponse> observer) {
        switch (reply) {
            case CertificateReply.Issued issued -> {
                observer.onNext(IstioCertificateResponse.newBuilder()
                        .addAllCertChain(issued.chain())
                        .build());
                observer.onCompleted();
            }
            case CertificateReply.Denied denied ->
                observer.onError(status(denied).asException());
        }
    }

    private static Status status(CertificateReply.Denied denied) {
        var status = switch (denied.kind()) {
            case UNAUTHENTICATED -> Status.UNAUTHENTICATED;
            case INVALID -> Status.INVALID_ARGUMENT;
            case FAILED -> Status.INTERNAL;
            case OVERLOADED -> Status.RESOURCE_EXHAUSTED;
        };
        return status.withDescription(denied.message());
    }

    private static CertificateOrder order(IstioCertificateRequest request) {
        // kept within what a Duration and an Instant can be added to; far above every maximum anyway
        var seconds = Math.clamp(request.getValidityDuration(), -1, MAX_SECONDS);
        return new CertificateOrder(request.getCsr(), Duration.ofSeconds(seconds), impersonated(request.getMetadata()));
    }

    private static Optional<String> impersonated(Struct metadata) {
        return Optional.ofNullable(metadata.getFieldsMap().get(IMPERSONATED_IDENTITY))
                .map(value -> value.getStringValue())
                .filter(value -> !value.isEmpty());
    }

    static Struct metadata(String impersonatedIdentity) {
        return Struct.newBuilder()
                .putFields(
                        IMPERSONATED_IDENTITY,
                        Value.newBuilder().setStringValue(impersonatedIdentity).build())
                .build();
    }

    /// Hands the credentials of a call to the method, which sees neither headers nor transport.
    private static final class Presenting implements ServerInterceptor {
        @Override
        public <Q, R> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
            var credentials = CredentialsReader.read(call.getAttributes(), headers);
            return Contexts.interceptCall(Context.current().withValue(CREDENTIALS, credentials), call, headers, next);
        }
    }
}
