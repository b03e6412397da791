// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import io.envoyproxy.envoy.service.discovery.v3.AggregatedDiscoveryServiceGrpc;
import io.envoyproxy.envoy.service.discovery.v3.AggregatedDiscoveryServiceGrpc.AggregatedDiscoveryServiceImplBase;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryResponse;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;

/// Between an Envoy and its control plane: writes down what the Envoy says, keeps responses back, cuts streams.
final class XdsTap implements AutoCloseable {
    private final Server server;
    private ManagedChannel channel;
    private final List<DeltaDiscoveryRequest> requests = new ArrayList<>();
    private final List<DeltaDiscoveryResponse> held = new ArrayList<>();
    private Predicate<DeltaDiscoveryResponse> holding = _ -> false;
    private Optional<StreamObserver<DeltaDiscoveryResponse>> envoy = Optional.empty();

    XdsTap(String host, int controlPlane) throws IOException {
        channel = dial(controlPlane);
        server = NettyServerBuilder.forAddress(new InetSocketAddress(host, 0))
                .addService(new Service())
                .build()
                .start();
    }

    private static ManagedChannel dial(int controlPlane) {
        return NettyChannelBuilder.forAddress("127.0.0.1", controlPlane)
                .usePlaintext()
                .maxInboundMessageSize(64 << 20)
                .build();
    }

    /// From now on streams lead there; the present one ends.
    synchronized void lead(int controlPlane) {
        channel.shutdownNow();
        channel = dial(controlPlane);
        cut();
    }

    int port() {
        return server.getPort();
    }

    /// What the Envoy has said on its present stream, since the last call of [#forget].
    synchronized List<DeltaDiscoveryRequest> requests() {
        return List.copyOf(requests);
    }

    synchronized void forget() {
        requests.clear();
    }

    /// From now on such responses do not get through.
    synchronized void hold(Predicate<DeltaDiscoveryResponse> which) {
        holding = which;
    }

    /// Lets all of them through, and what follows.
    synchronized void release() {
        holding = _ -> false;
        held.forEach(this::pass);
        held.clear();
    }

    /// Ends the stream: the Envoy comes back.
    synchronized void cut() {
        envoy.ifPresent(stream -> stream.onError(Status.UNAVAILABLE.asRuntimeException()));
    }

    @Override
    public void close() {
        server.shutdownNow();
        channel().shutdownNow();
        try {
            var _ = server.awaitTermination(5, TimeUnit.SECONDS);
            var _ = channel().awaitTermination(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void pass(DeltaDiscoveryResponse response) {
        envoy.ifPresent(stream -> stream.onNext(response));
    }

    private synchronized ManagedChannel channel() {
        return channel;
    }

    private synchronized void answered(DeltaDiscoveryResponse response) {
        if (holding.test(response)) {
            held.add(response);
        } else {
            pass(response);
        }
    }

    private synchronized void asked(DeltaDiscoveryRequest request) {
        requests.add(request);
    }

    private final class Service extends AggregatedDiscoveryServiceImplBase {
        @Override
        public StreamObserver<DeltaDiscoveryRequest> deltaAggregatedResources(
                StreamObserver<DeltaDiscoveryResponse> responses) {
            synchronized (XdsTap.this) {
                envoy = Optional.of(responses);
                requests.clear();
            }
            var plane = AggregatedDiscoveryServiceGrpc.newStub(channel())
                    .deltaAggregatedResources(new Quiet<DeltaDiscoveryResponse>(XdsTap.this::answered));
            return new Quiet<>(request -> {
                asked(request);
                plane.onNext(request);
            });
        }
    }

    /// Does not care how a stream ends.
    private record Quiet<T>(Consumer<T> next) implements StreamObserver<T> {
        @Override
        public void onNext(T value) {
            next.accept(value);
        }

        @Override
        public void onError(Throwable failure) {}

        @Override
        public void onCompleted() {}
    }
}
