// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.fleet;

import io.fathom.model.fleet.OriginCopy;
import io.fathom.wire.proto.fleet.Copied;
import io.fathom.wire.proto.fleet.FleetReplicaGrpc;
import io.fathom.wire.proto.fleet.Up;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.Executor;

/// Streams to other management servers.
final class ReplicaEndpoint extends FleetReplicaGrpc.FleetReplicaImplBase {
    private final FleetHandler handler;
    private final Executor threads;

    ReplicaEndpoint(FleetHandler handler, Executor threads) {
        this.handler = handler;
        this.threads = threads;
    }

    @Override
    public StreamObserver<Up> follow(StreamObserver<Copied> observer) {
        var call = new SyncCall<OriginCopy, Copied>(
                (ServerCallStreamObserver<Copied>) observer, FleetCodec::encode, threads);
        SyncEndpoint.begin(call, caller -> handler.follow(caller, CallerCertificate.peer(), call));
        return call;
    }
}
