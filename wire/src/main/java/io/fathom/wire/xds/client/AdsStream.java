package io.fathom.wire.xds.client;

import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryRequest;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.dial.ControlChannel;
import io.fathom.wire.dial.ServerConfig;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.protobuf.ProtoUtils;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.Executor;

/// One stream on a connection of its own. Asks for the next response when the last one was dealt with, so a slow
/// node slows its server down instead of filling up. All callbacks come on the executor's thread.
final class AdsStream extends ClientCall.Listener<InputStream> {
    /// What becomes of a stream. Called on the executor's thread.
    interface Owner {
        /// Deals with a response and returns the answer to send.
        DeltaDiscoveryRequest received(InputStream message) throws IOException;

        /// It is of no use any more.
        ///
        /// @param answered whether the server said anything before
        void ended(AdsStream stream, Status status, boolean answered);
    }

    private static final MethodDescriptor<DeltaDiscoveryRequest, InputStream> METHOD =
            MethodDescriptor.<DeltaDiscoveryRequest, InputStream>newBuilder()
                    .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
                    .setFullMethodName("envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources")
                    .setRequestMarshaller(ProtoUtils.marshaller(DeltaDiscoveryRequest.getDefaultInstance()))
                    .setResponseMarshaller(new Unread())
                    .build();

    private final ManagedChannel channel;
    private final ClientCall<DeltaDiscoveryRequest, InputStream> call;
    private final Owner owner;
    private boolean answered;

    private AdsStream(ManagedChannel channel, Owner owner) {
        this.channel = channel;
        this.owner = owner;
        this.call = channel.newCall(METHOD, CallOptions.DEFAULT);
    }

    /// Begins to connect; requests are sent as soon as there is a connection.
    ///
    /// @throws ProblemException when roots or token cannot be read
    static AdsStream open(ServerConfig server, List<DeltaDiscoveryRequest> first, Owner owner, Executor executor) {
        var headers = ControlChannel.headers(server);
        var channel = ControlChannel.builder(server, server.trust().roots())
                .executor(executor)
                .build();
        var stream = new AdsStream(channel, owner);
        stream.call.start(stream, headers);
        stream.call.request(1);
        first.forEach(stream.call::sendMessage);
        return stream;
    }

    void send(DeltaDiscoveryRequest request) {
        call.sendMessage(request);
    }

    /// The owner hears no more of it.
    void close() {
        call.cancel("the client stops", null);
        channel.shutdownNow();
    }

    @Override
    public void onHeaders(Metadata headers) {
        answered = true;
    }

    @Override
    public void onMessage(InputStream message) {
        try {
            call.sendMessage(owner.received(message));
            call.request(1);
        } catch (IOException e) {
            call.cancel("a response cannot be read: " + e.getMessage(), e);
        }
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
        channel.shutdownNow();
        owner.ended(this, status, answered);
    }

    /// Leaves the bytes to whoever handles the response: gRPC lets go of them only after that.
    private static final class Unread implements MethodDescriptor.Marshaller<InputStream> {
        @Override
        public InputStream parse(InputStream stream) {
            return stream;
        }

        @Override
        public InputStream stream(InputStream value) {
            throw new UnsupportedOperationException("a client sends no responses");
        }
    }
}
