// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import io.fathom.base.lang.ProblemException;
import io.fathom.control.ca.NodeAuthorizer.Snapshot;
import io.fathom.control.ca.NodeAuthorizer.TrustedAccounts;
import io.fathom.control.ca.jwt.LocalIssuer;
import io.fathom.control.ca.jwt.ServiceAccountName;
import io.fathom.wire.ca.CertificateService;
import io.fathom.wire.ca.GrpcCaClient;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.tls.ReloadingServerTls;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.SSLException;

/// The whole certificate service on a loopback TLS port, with the local issuer in place of Kubernetes.
final class RunningCa implements AutoCloseable {
    final TestPods pods = new TestPods();
    final LocalIssuer tokens = LocalIssuer.create();
    final ServingCertificates serving;
    private final InstantSource clock;
    private final CertificateService service;
    private final Server server;

    RunningCa(Authority authority, Duration servingLifetime, CaObserver observer, InstantSource clock)
            throws IOException {
        this.clock = clock;
        var trustDomains = TrustDomains.of("cluster.local");
        var reviewed = Optional.of(
                new TokenReviewAuthenticator.Reviewed("", new LocalTokenReviewer(tokens, () -> pods, clock)));
        var authenticator = new AuthenticatorChain(List.of(
                new CertificateAuthenticator(() -> trustDomains),
                new TokenReviewAuthenticator(
                        id -> id.isEmpty() ? reviewed : Optional.empty(), List.of("istio-ca"), () -> trustDomains)));
        var snapshot =
                new Snapshot(new TrustedAccounts(Set.of("istio-system/ztunnel")), trustDomains, Map.of("", pods));
        var endpoint = new CertificateEndpoint(
                authority, authenticator, () -> snapshot, CertificateLimits.DEFAULT, observer, clock);
        service = new CertificateService(endpoint, 64);
        serving =
                new ServingCertificates(authority, List.of("istiod.istio-system.svc"), servingLifetime, clock).start();
        var tls = new ReloadingServerTls(serving.current());
        serving.use(tls::use);
        server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sslContext(tls)
                .addService(service.definition())
                .build()
                .start();
    }

    String token(String namespace, String account, String pod, String uid, String node) {
        var binding = new LocalIssuer.Binding(
                new ServiceAccountName(namespace, account), pod, uid, node, List.of("istio-ca"));
        return tokens.token(binding, Duration.ofHours(1), clock.instant());
    }

    ManagedChannel channel(List<X509Certificate> roots, Optional<TlsIdentity> own) {
        try {
            var tls = SslContextBuilder.forClient().trustManager(roots.toArray(X509Certificate[]::new));
            own.ifPresent(
                    identity -> tls.keyManager(identity.key(), identity.chain().toArray(X509Certificate[]::new)));
            return NettyChannelBuilder.forAddress("127.0.0.1", server.getPort())
                    .sslContext(GrpcSslContexts.configure(tls).build())
                    .overrideAuthority("istiod.istio-system.svc")
                    .build();
        } catch (SSLException e) {
            throw new AssertionError(e);
        }
    }

    static GrpcCaClient client(ManagedChannel channel, String token) {
        return new GrpcCaClient(
                channel, () -> Optional.of(token).filter(text -> !text.isEmpty()), "", Duration.ofSeconds(30));
    }

    static String code(ProblemException e) {
        return e.problem().code();
    }

    int port() {
        return server.getPort();
    }

    @Override
    public void close() {
        server.shutdownNow();
        service.close();
        serving.close();
    }
}
