// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.client;

import com.google.protobuf.MessageLite;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryRequest;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.dial.GrpcStream;
import io.fathom.wire.dial.ServerConfig;
import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// One stream on a connection of its own. Takes the next bytes when the last ones were dealt with, so a slow node slows
/// its server down instead of filling up. The owner is called on the executor's thread.
final class AdsStream implements GrpcStream.GrpcStreamListener, GrpcMessages.Sink {
    private static final String METHOD =
            "envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources";

    /// What becomes of a stream.
    interface StreamOwner {
        /// A response begins.
        DeltaProtocol.Exchange begin();

        /// A response has been dealt with: returns the answer to send.
        DeltaDiscoveryRequest received(DeltaProtocol.Exchange exchange, int bytes) throws IOException;

        /// It is of no use any more.
        void ended(AdsStream stream, Status status, GrpcStream.Progress progress);
    }

    private final StreamOwner owner;
    private final Executor thread;
    private final GrpcMessages messages = new GrpcMessages(this);
    private @Nullable GrpcStream grpc;
    private DeltaProtocol.@Nullable Exchange exchange;
    private boolean over;

    private AdsStream(StreamOwner owner, Executor thread) {
        this.owner = owner;
        this.thread = thread;
    }

    /// Begins to connect; requests are sent as soon as there is a connection. On the executor's thread.
    ///
    /// @throws ProblemException when roots or token cannot be read
    static AdsStream open(
            ServerConfig server,
            List<DeltaDiscoveryRequest> first,
            StreamOwner owner,
            EventLoop loop,
            Executor thread) {
        var stream = new AdsStream(owner, thread);
        stream.grpc = GrpcStream.open(server, METHOD, stream, loop);
        first.stream().map(MessageLite::toByteArray).forEach(stream.grpc::send);
        return stream;
    }

    void send(DeltaDiscoveryRequest request) {
        if (grpc != null) {
            grpc.send(request.toByteArray());
        }
    }

    /// The owner hears no more of it.
    void close() {
        over = true;
        if (grpc != null) {
            grpc.close();
        }
    }

    @Override
    public void received(List<ByteBuf> pieces) {
        thread.execute(() -> consume(pieces));
    }

    private void consume(List<ByteBuf> pieces) {
        try {
            for (var piece : pieces) {
                if (!over) {
                    messages.feed(piece);
                }
            }
            if (grpc != null) {
                grpc.more();
            }
        } catch (IOException e) {
            fail("a response cannot be read: " + e.getMessage());
        } catch (RuntimeException e) {
            fail("a response cannot be dealt with: " + e);
            throw e;
        } finally {
            pieces.forEach(ByteBuf::release);
        }
    }

    private void fail(String reason) {
        close();
        owner.ended(this, Status.INTERNAL.withDescription(reason), GrpcStream.Progress.ANSWERED);
    }

    @Override
    public void part(ByteBuf bytes) throws IOException {
        current().feed(bytes);
    }

    @Override
    public void end(int length) throws IOException {
        var complete = current();
        exchange = null;
        send(owner.received(complete, length));
    }

    private DeltaProtocol.Exchange current() {
        if (exchange == null) {
            exchange = owner.begin();
        }
        return exchange;
    }

    @Override
    public void ended(Status status, GrpcStream.Progress progress) {
        thread.execute(() -> {
            if (!over) {
                over = true;
                owner.ended(this, status, progress);
            }
        });
    }
}
