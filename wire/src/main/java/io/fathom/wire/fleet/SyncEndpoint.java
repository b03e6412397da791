// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.fleet;

import io.fathom.base.lang.ProblemException;
import io.fathom.model.fleet.FleetDown;
import io.fathom.wire.proto.fleet.Down;
import io.fathom.wire.proto.fleet.FleetSyncGrpc;
import io.fathom.wire.proto.fleet.Up;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.security.cert.X509Certificate;
import java.util.concurrent.Executor;
import java.util.function.Function;

/// The streams.
final class SyncEndpoint extends FleetSyncGrpc.FleetSyncImplBase {
    private final FleetHandler handler;
    private final Executor threads;

    SyncEndpoint(FleetHandler handler, Executor threads) {
        this.handler = handler;
        this.threads = threads;
    }

    @Override
    public StreamObserver<Up> sync(StreamObserver<Down> observer) {
        var call =
                new SyncCall<FleetDown, Down>((ServerCallStreamObserver<Down>) observer, FleetCodec::encode, threads);
        begin(call, caller -> handler.open(caller, CallerCertificate.peer(), call));
        return call;
    }

    static <M, D> void begin(SyncCall<M, D> call, Function<X509Certificate, FleetHandler.FleetStream<M>> opening) {
        try {
            call.begin(opening.apply(CallerCertificate.current()));
        } catch (ProblemException e) {
            call.refuse(FleetRefusals.status(e));
        } catch (StatusException e) {
            call.refuse(e);
        } catch (RuntimeException e) {
            call.refuse(Status.INTERNAL.withDescription("internal error").asException());
            throw e;
        }
    }
}
