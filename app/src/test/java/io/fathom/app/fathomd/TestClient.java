// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.rpc.Status;
import io.envoyproxy.envoy.config.core.v3.Node;
import io.envoyproxy.envoy.service.discovery.v3.AggregatedDiscoveryServiceGrpc;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryResponse;
import io.fathom.wire.auth.CredentialsReader;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.TlsChannelCredentials;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.io.File;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// A delta stream as a node proxy opens it, answered by hand.
final class TestClient implements AutoCloseable {
    static final String ADDRESS = "type.googleapis.com/istio.workload.Address";
    private static final Node NODE = Node.newBuilder()
            .setId("ztunnel~10.0.0.1~ztunnel-a.istio-system~istio-system.svc.cluster.local")
            .build();

    private final ManagedChannel channel;
    private final BlockingQueue<DeltaDiscoveryResponse> responses = new LinkedBlockingQueue<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile io.grpc.Status.Code endedWith = io.grpc.Status.Code.OK;
    private final StreamObserver<DeltaDiscoveryRequest> requests;

    private TestClient(ManagedChannel channel, String token) {
        this.channel = channel;
        var headers = new Metadata();
        if (!token.isEmpty()) {
            headers.put(CredentialsReader.AUTHORIZATION, "Bearer " + token);
        }
        this.requests = AggregatedDiscoveryServiceGrpc.newStub(channel)
                .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
                .deltaAggregatedResources(new Collector());
    }

    static TestClient plaintext(int port) {
        return new TestClient(
                Grpc.newChannelBuilderForAddress("127.0.0.1", port, InsecureChannelCredentials.create())
                        .build(),
                "");
    }

    static TestClient tls(int port, File root, String name, String token) throws IOException {
        return new TestClient(channel(port, root, name), token);
    }

    static ManagedChannel channel(int port, File root, String name) throws IOException {
        var credentials = TlsChannelCredentials.newBuilder().trustManager(root).build();
        return Grpc.newChannelBuilderForAddress("127.0.0.1", port, credentials)
                .overrideAuthority(name)
                .build();
    }

    TestClient subscribe() {
        return subscribe(NODE);
    }

    TestClient subscribe(Node node) {
        requests.onNext(DeltaDiscoveryRequest.newBuilder()
                .setNode(node)
                .setTypeUrl(ADDRESS)
                .build());
        return this;
    }

    DeltaDiscoveryResponse next() throws InterruptedException {
        return Optional.ofNullable(responses.poll(20, TimeUnit.SECONDS))
                .orElseThrow(() -> new AssertionError("no response within 20 s"));
    }

    void accept(DeltaDiscoveryResponse response) {
        requests.onNext(DeltaDiscoveryRequest.newBuilder()
                .setTypeUrl(response.getTypeUrl())
                .setResponseNonce(response.getNonce())
                .build());
    }

    void refuse(DeltaDiscoveryResponse response, String why) {
        requests.onNext(DeltaDiscoveryRequest.newBuilder()
                .setTypeUrl(response.getTypeUrl())
                .setResponseNonce(response.getNonce())
                .setErrorDetail(Status.newBuilder().setMessage(why))
                .build());
    }

    boolean awaitEnd() throws InterruptedException {
        return ended.await(20, TimeUnit.SECONDS);
    }

    /// How the stream ended.
    io.grpc.Status.Code end() throws InterruptedException {
        assertThat(awaitEnd()).isTrue();
        return endedWith;
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }

    private final class Collector implements StreamObserver<DeltaDiscoveryResponse> {
        @Override
        public void onNext(DeltaDiscoveryResponse response) {
            responses.add(response);
        }

        @Override
        public void onError(Throwable cause) {
            endedWith = io.grpc.Status.fromThrowable(cause).getCode();
            ended.countDown();
        }

        @Override
        public void onCompleted() {
            ended.countDown();
        }
    }
}
