// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.fleet;

import io.fathom.base.lang.ProblemException;
import io.fathom.wire.proto.fleet.FleetJoinGrpc;
import io.fathom.wire.proto.fleet.JoinRequest;
import io.fathom.wire.proto.fleet.JoinResponse;
import io.fathom.wire.proto.fleet.RenewRequest;
import io.fathom.wire.proto.fleet.RenewResponse;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Joining and renewing. Callers may be anybody, so few are answered at once and nobody waits for a place.
final class JoinEndpoint extends FleetJoinGrpc.FleetJoinImplBase {
    private static final Logger log = LoggerFactory.getLogger(JoinEndpoint.class);
    private static final int AT_ONCE = 64;

    private final FleetHandler handler;
    private final Semaphore places = new Semaphore(AT_ONCE);

    JoinEndpoint(FleetHandler handler) {
        this.handler = handler;
    }

    @Override
    public void join(JoinRequest request, StreamObserver<JoinResponse> observer) {
        answer(observer, () -> {
            var order = new JoinOrder(
                    request.getToken(),
                    request.getClusterName(),
                    request.getClusterUid(),
                    FleetCertificates.pem(request.getCsrDer()),
                    request.getTrustDomainsList(),
                    request.getNetworksList());
            var member = handler.join(order, CallerCertificate.peer());
            return JoinResponse.newBuilder()
                    .addAllCertificateChain(FleetCertificates.encode(member.chain()))
                    .addAllFleetRoots(FleetCertificates.encode(member.roots()))
                    .setClusterHandle(member.handle())
                    .setFleet(member.fleet())
                    .build();
        });
    }

    @Override
    public void renew(RenewRequest request, StreamObserver<RenewResponse> observer) {
        answer(observer, () -> {
            var member = handler.renew(CallerCertificate.current(), FleetCertificates.pem(request.getCsrDer()));
            return RenewResponse.newBuilder()
                    .addAllCertificateChain(FleetCertificates.encode(member.chain()))
                    .addAllFleetRoots(FleetCertificates.encode(member.roots()))
                    .build();
        });
    }

    private <A> void answer(StreamObserver<A> observer, Callable<A> answer) {
        if (!places.tryAcquire()) {
            observer.onError(Status.UNAVAILABLE
                    .withDescription("overloaded: try again later")
                    .asException());
            return;
        }
        try {
            observer.onNext(answer.call());
            observer.onCompleted();
        } catch (ProblemException e) {
            observer.onError(FleetRefusals.status(e));
        } catch (StatusException e) {
            observer.onError(e);
        } catch (Exception e) {
            log.atError().setCause(e).log("answering an agent failed because of a bug");
            observer.onError(Status.INTERNAL.withDescription("internal error").asException());
        } finally {
            places.release();
        }
    }
}
