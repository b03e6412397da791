// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.peering;

import io.fathom.wire.auth.BoundedTasks;
import io.fathom.wire.auth.CallGate;
import io.fathom.wire.proto.feed.ClusterFeedGrpc;
import io.fathom.wire.proto.feed.FeedDown;
import io.fathom.wire.proto.feed.FeedUp;
import io.grpc.Context;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;

/// `fathom.feed.v1.ClusterFeed` for a gRPC server. Nothing is read before the caller is known, and the next message of
/// a stream only after the last one was taken in.
public final class FeedService implements AutoCloseable {
    private static final int AT_ONCE = 64;
    private static final Context.Key<String> CALLER = Context.key("feed-caller");

    private final FeedHandler handler;
    private final BoundedTasks tasks = new BoundedTasks("feed", AT_ONCE);

    public FeedService(FeedHandler handler) {
        this.handler = handler;
    }

    public ServerServiceDefinition definition() {
        return ServerInterceptors.intercept(new Binding(), new CallGate<>(CALLER, handler::admit, tasks));
    }

    /// Waits for what is under way.
    @Override
    public void close() {
        tasks.close();
    }

    private final class Binding extends ClusterFeedGrpc.ClusterFeedImplBase {
        @Override
        public StreamObserver<FeedUp> feed(StreamObserver<FeedDown> observer) {
            return FeedCall.begin((ServerCallStreamObserver<FeedDown>) observer, handler, CALLER.get(), tasks);
        }
    }
}
