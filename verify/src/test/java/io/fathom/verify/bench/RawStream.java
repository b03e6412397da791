// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.bench;

import com.google.protobuf.CodedInputStream;
import io.envoyproxy.envoy.config.core.v3.Node;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryRequest;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.concurrent.atomic.AtomicLong;

/// One delta stream on a connection of its own that costs its process as little as possible: responses stay bytes, of
/// which only type, nonce and the stamps of changed pods are read.
final class RawStream implements AutoCloseable {
    private static final String ADDRESS = "type.googleapis.com/istio.workload.Address";
    private static final String AUTHORIZATION = "type.googleapis.com/istio.security.Authorization";
    private static final MethodDescriptor<DeltaDiscoveryRequest, byte[]> METHOD =
            MethodDescriptor.<DeltaDiscoveryRequest, byte[]>newBuilder()
                    .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
                    .setFullMethodName("envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources")
                    .setRequestMarshaller(ProtoUtils.marshaller(DeltaDiscoveryRequest.getDefaultInstance()))
                    .setResponseMarshaller(new Bytes())
                    .build();

    /// Hears of every response, on gRPC's threads.
    interface Listener {
        /// A response with so many resources.
        void received(byte[] response, int resources);
    }

    private final ManagedChannel channel;
    private final StreamObserver<DeltaDiscoveryRequest> requests;
    private final Listener listener;
    private final AtomicLong resources = new AtomicLong();
    private volatile boolean closed;

    private RawStream(int port, int number, Listener listener) {
        this.listener = listener;
        this.channel = NettyChannelBuilder.forAddress("127.0.0.1", port)
                .usePlaintext()
                .directExecutor()
                .maxInboundMessageSize(200 << 20)
                .build();
        this.requests =
                ClientCalls.asyncBidiStreamingCall(channel.newCall(METHOD, CallOptions.DEFAULT), new Responses());
        var node = Node.newBuilder()
                .setId("ztunnel~10.0.0.1~ztunnel-%d.istio-system~istio-system.svc.cluster.local".formatted(number))
                .build();
        for (var type : new String[] {ADDRESS, AUTHORIZATION}) {
            send(DeltaDiscoveryRequest.newBuilder()
                    .setNode(node)
                    .setTypeUrl(type)
                    .addResourceNamesSubscribe("*")
                    .build());
        }
    }

    static RawStream open(int port, int number, Listener listener) {
        return new RawStream(port, number, listener);
    }

    /// How many resources came in all responses together.
    long resources() {
        return resources.get();
    }

    @Override
    public void close() {
        closed = true;
        channel.shutdownNow();
    }

    private void send(DeltaDiscoveryRequest request) {
        synchronized (requests) {
            requests.onNext(request);
        }
    }

    private final class Responses implements StreamObserver<byte[]> {
        @Override
        public void onNext(byte[] response) {
            try {
                var input = CodedInputStream.newInstance(response);
                var count = 0;
                var type = "";
                var nonce = "";
                for (var tag = input.readTag(); tag != 0; tag = input.readTag()) {
                    switch (tag >>> 3) {
                        case 4 -> type = input.readString();
                        case 5 -> nonce = input.readString();
                        case 2 -> {
                            count++;
                            input.skipField(tag);
                        }
                        default -> input.skipField(tag);
                    }
                }
                listener.received(response, count);
                resources.addAndGet(count);
                send(DeltaDiscoveryRequest.newBuilder()
                        .setTypeUrl(type)
                        .setResponseNonce(nonce)
                        .build());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void onError(Throwable cause) {
            if (!closed) {
                System.err.println("stream failed: " + cause);
            }
        }

        @Override
        public void onCompleted() {
            System.err.println("stream ended by the server");
        }
    }

    private static final class Bytes implements Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
