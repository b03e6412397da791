// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds;

import io.envoyproxy.envoy.service.discovery.v3.AggregatedDiscoveryServiceGrpc;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryResponse;
import io.fathom.wire.xds.store.XdsType;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NegotiationType;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/// A delta client made of the stubs of the Envoy API, not of our code.
final class AdsClient implements AutoCloseable {
    private final ManagedChannel channel;
    private final LinkedBlockingQueue<DeltaDiscoveryResponse> responses = new LinkedBlockingQueue<>();
    final CompletableFuture<Status> closed = new CompletableFuture<>();
    private @Nullable ClientCallStreamObserver<DeltaDiscoveryRequest> requests;

    private AdsClient(ManagedChannel channel, int initialResponses) {
        this.channel = channel;
        AggregatedDiscoveryServiceGrpc.newStub(channel)
                .deltaAggregatedResources(new ClientResponseObserver<DeltaDiscoveryRequest, DeltaDiscoveryResponse>() {
                    @Override
                    public void beforeStart(ClientCallStreamObserver<DeltaDiscoveryRequest> stream) {
                        requests = stream;
                        if (initialResponses != Integer.MAX_VALUE) {
                            stream.disableAutoRequestWithInitial(initialResponses);
                        }
                    }

                    @Override
                    public void onNext(DeltaDiscoveryResponse response) {
                        responses.add(response);
                    }

                    @Override
                    public void onError(Throwable error) {
                        closed.complete(Status.fromThrowable(error));
                    }

                    @Override
                    public void onCompleted() {
                        closed.complete(Status.OK);
                    }
                });
    }

    static AdsClient connect(int port) {
        return new AdsClient(plaintext(port).build(), Integer.MAX_VALUE);
    }

    /// Takes nothing before it is told to.
    static AdsClient connectWithoutReading(int port) {
        return new AdsClient(plaintext(port).flowControlWindow(65_535).build(), 0);
    }

    static AdsClient connectTls(int port, InputStream root) throws SSLException {
        return new AdsClient(
                NettyChannelBuilder.forAddress("localhost", port)
                        .sslContext(
                                GrpcSslContexts.forClient().trustManager(root).build())
                        .build(),
                Integer.MAX_VALUE);
    }

    private static NettyChannelBuilder plaintext(int port) {
        return NettyChannelBuilder.forAddress("127.0.0.1", port)
                .negotiationType(NegotiationType.PLAINTEXT)
                .directExecutor()
                .maxInboundMessageSize(200 * 1024 * 1024);
    }

    void send(DeltaDiscoveryRequest request) {
        stream().onNext(request);
    }

    /// Subscribes to everything of that type.
    void subscribe(XdsType type) {
        send(first(type).build());
    }

    static DeltaDiscoveryRequest.Builder first(XdsType type) {
        return DeltaDiscoveryRequest.newBuilder()
                .setNode(Fixture.nodeMessage("my-node"))
                .setTypeUrl(type.url());
    }

    void acknowledge(DeltaDiscoveryResponse response) {
        send(DeltaDiscoveryRequest.newBuilder()
                .setTypeUrl(response.getTypeUrl())
                .setResponseNonce(response.getNonce())
                .build());
    }

    void read(int count) {
        stream().request(count);
    }

    void halfClose() {
        stream().onCompleted();
    }

    DeltaDiscoveryResponse take() throws InterruptedException {
        var response = responses.poll(20, TimeUnit.SECONDS);
        if (response == null) {
            throw new AssertionError("no response; stream: " + closed.getNow(Status.OK));
        }
        return response;
    }

    List<DeltaDiscoveryResponse> takeAll() {
        var taken = new ArrayList<DeltaDiscoveryResponse>();
        responses.drainTo(taken);
        return taken;
    }

    private ClientCallStreamObserver<DeltaDiscoveryRequest> stream() {
        if (requests == null) {
            throw new IllegalStateException("not started");
        }
        return requests;
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
