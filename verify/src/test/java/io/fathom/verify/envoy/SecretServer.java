// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import com.google.protobuf.Any;
import io.envoyproxy.envoy.config.core.v3.DataSource;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.CertificateValidationContext;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.Secret;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.TlsCertificate;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.envoyproxy.envoy.service.secret.v3.SecretDiscoveryServiceGrpc.SecretDiscoveryServiceImplBase;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.TlsIdentity;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/// Hands an Envoy its certificate, as the process beside it would.
final class SecretServer implements AutoCloseable {
    private final Server server;

    SecretServer(String host, TlsIdentity identity) throws IOException {
        server = NettyServerBuilder.forAddress(new InetSocketAddress(host, 0))
                .addService(new Service(identity))
                .build()
                .start();
    }

    int port() {
        return server.getPort();
    }

    @Override
    public void close() {
        server.shutdownNow();
        try {
            var _ = server.awaitTermination(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static final class Service extends SecretDiscoveryServiceImplBase {
        private final TlsIdentity identity;

        Service(TlsIdentity identity) {
            this.identity = identity;
        }

        @Override
        public StreamObserver<DiscoveryRequest> streamSecrets(StreamObserver<DiscoveryResponse> answers) {
            return new StreamObserver<>() {
                @Override
                public void onNext(DiscoveryRequest request) {
                    if (request.getResponseNonce().isEmpty()) {
                        answers.onNext(answer(request));
                    }
                }

                @Override
                public void onError(Throwable failure) {}

                @Override
                public void onCompleted() {
                    answers.onCompleted();
                }
            };
        }

        private DiscoveryResponse answer(DiscoveryRequest request) {
            var response = DiscoveryResponse.newBuilder()
                    .setTypeUrl(request.getTypeUrl())
                    .setVersionInfo("1")
                    .setNonce("1");
            request.getResourceNamesList().forEach(name -> response.addResources(Any.pack(secret(name))));
            return response.build();
        }

        private Secret secret(String name) {
            var secret = Secret.newBuilder().setName(name);
            return name.equals("ROOTCA")
                    ? secret.setValidationContext(CertificateValidationContext.newBuilder()
                                    .setTrustedCa(inline(Pem.encode(identity.roots()))))
                            .build()
                    : secret.setTlsCertificate(TlsCertificate.newBuilder()
                                    .setCertificateChain(inline(Pem.encode(identity.chain())))
                                    .setPrivateKey(inline(Pem.encode(identity.key()))))
                            .build();
        }

        private static DataSource inline(String text) {
            return DataSource.newBuilder().setInlineString(text).build();
        }
    }
}
