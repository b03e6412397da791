package io.fathom.wire.dial;

import io.grpc.Metadata;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.ChannelOption;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/// Makes gRPC channels to the control plane: server-authenticated TLS, HTTP/2 pings while something is under way.
public final class ControlChannel {
    private static final int LARGEST_MESSAGE = 200 * 1024 * 1024;
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration PING_TIME = Duration.ofSeconds(30);
    private static final Duration PING_TIMEOUT = Duration.ofSeconds(10);

    private ControlChannel() {}

    /// A channel that trusts the given roots. Add an executor if callbacks shall run on a thread of yours.
    ///
    /// @param roots none for those of the machine
    public static NettyChannelBuilder builder(ServerConfig server, List<X509Certificate> roots) {
        return NettyChannelBuilder.forAddress(server.host(), server.port())
                .sslContext(tls(roots, server.alternativeName()))
                .maxInboundMessageSize(LARGEST_MESSAGE)
                .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) CONNECT_TIMEOUT.toMillis())
                .withOption(ChannelOption.SO_KEEPALIVE, true)
                .keepAliveTime(PING_TIME.toMillis(), TimeUnit.MILLISECONDS)
                .keepAliveTimeout(PING_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                .disableServiceConfigLookUp()
                .disableRetry();
    }

    /// The headers that were configured, without token and cluster.
    public static Metadata extraHeaders(ServerConfig server) {
        var headers = new Metadata();
        server.headers()
                .forEach((name, value) -> headers.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value));
        return headers;
    }

    static SslContext tls(List<X509Certificate> roots, Optional<String> alternativeName) {
        try {
            var chains = chains(roots);
            return GrpcSslContexts.forClient()
                    .trustManager(alternativeName.isPresent() ? new NamedTrust(chains, alternativeName.get()) : chains)
                    .build();
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("TLS cannot be set up", e);
        }
    }

    private static X509ExtendedTrustManager chains(List<X509Certificate> roots)
            throws GeneralSecurityException, IOException {
        @Nullable KeyStore store = null;
        if (!roots.isEmpty()) {
            store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (int i = 0; i < roots.size(); i++) {
                store.setCertificateEntry("root-" + i, roots.get(i));
            }
        }
        var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return Stream.of(factory.getTrustManagers())
                .filter(X509ExtendedTrustManager.class::isInstance)
                .map(X509ExtendedTrustManager.class::cast)
                .findFirst()
                .orElseThrow();
    }
}
