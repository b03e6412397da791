// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.fathom.verify.peers.Istiod;
import io.fathom.wire.auth.CredentialsReader;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.RequestWriter;
import io.fathom.wire.proto.ca.IstioCertificateRequest;
import io.fathom.wire.proto.ca.IstioCertificateServiceGrpc;
import io.grpc.Metadata;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/// The same orders to upstream and to us, and what one costs. Ours runs in this process, so its processor time includes
/// the client's: the comparison is to our disadvantage. Upstream asks the API server about every token, which is not
/// counted; we look at the token ourselves.
final class CertificateLoad {
    private static final int ORDERS = 2000;
    private static final int AT_ONCE = 8;

    private CertificateLoad() {}

    static void compare(Istiod istiod, String theirToken, int ourPort, String ourToken, String identity)
            throws Exception {
        for (var warmUp : List.of(true, false)) {
            var theirs = run(istiod.tlsPort(), theirToken, identity, istiod::processorTime);
            var ours = run(
                    ourPort,
                    ourToken,
                    identity,
                    () -> ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO));
            if (!warmUp) {
                System.out.println("istiod:  " + theirs);
                System.out.println("fathomd: " + ours + " (client included)");
            }
        }
    }

    private static String run(int port, String token, String identity, Supplier<Duration> processorTime)
            throws Exception {
        var channel = NettyChannelBuilder.forAddress("127.0.0.1", port)
                .sslContext(GrpcSslContexts.forClient()
                        .trustManager(InsecureTrustManagerFactory.INSTANCE)
                        .build())
                .overrideAuthority("istiod.istio-system.svc")
                .build();
        var headers = new Metadata();
        headers.put(CredentialsReader.CLUSTER, "Kubernetes");
        headers.put(CredentialsReader.AUTHORIZATION, "Bearer " + token);
        var client = IstioCertificateServiceGrpc.newBlockingStub(channel)
                .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
        var order = order(identity);
        var done = new AtomicInteger();
        var cpu = processorTime.get();
        var begun = System.nanoTime();
        try (var threads = Executors.newFixedThreadPool(AT_ONCE)) {
            for (var i = 0; i < ORDERS; i++) {
                threads.execute(() -> {
                    var _ = client.withDeadlineAfter(30, TimeUnit.SECONDS).createCertificate(order);
                    done.incrementAndGet();
                });
            }
        }
        var seconds = (System.nanoTime() - begun) / 1e9;
        var used = processorTime.get().minus(cpu).toNanos() / 1e6 / ORDERS;
        channel.shutdownNow();
        assertThat(done).hasValue(ORDERS);
        return "%.0f certificates/s, %.2f ms of processor time each".formatted(ORDERS / seconds, used);
    }

    private static IstioCertificateRequest order(String identity) {
        return IstioCertificateRequest.newBuilder()
                .setCsr(RequestWriter.write(KeyAlgorithm.P256.generate(), List.of(identity)))
                .setValidityDuration(Duration.ofHours(1).toSeconds())
                .setMetadata(Struct.newBuilder()
                        .putFields(
                                "ImpersonatedIdentity",
                                Value.newBuilder().setStringValue(identity).build()))
                .build();
    }
}
