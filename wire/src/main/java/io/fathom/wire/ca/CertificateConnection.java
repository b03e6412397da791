package io.fathom.wire.ca;

import io.fathom.base.lang.ProblemException;
import io.fathom.wire.dial.ControlChannel;
import io.fathom.wire.dial.ServerConfig;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.stub.MetadataUtils;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Orders certificates from a server of the control plane over one connection that is made when it is first
/// needed. The roots are read before each order: when they are others than before, a new connection takes the old
/// one's place. Blocks its caller; any number of threads.
public final class CertificateConnection implements AutoCloseable {
    private final ServerConfig server;
    private final Duration timeout;
    private @Nullable Link link;
    private boolean closed;

    private record Link(List<X509Certificate> roots, ManagedChannel channel) {}

    public CertificateConnection(ServerConfig server, Duration timeout) {
        this.server = server;
        this.timeout = timeout;
    }

    /// The chain as it came: leaf, intermediates, roots.
    ///
    /// @throws ProblemException when roots or token cannot be read, or the server gives no certificate
    public List<String> create(CertificateOrder order) {
        var channel = ClientInterceptors.intercept(
                channel(), MetadataUtils.newAttachHeadersInterceptor(ControlChannel.extraHeaders(server)));
        return new CertificateClient(channel, server.token()::read, server.clusterId(), timeout).create(order);
    }

    private synchronized ManagedChannel channel() {
        if (closed) {
            throw new IllegalStateException("closed");
        }
        var roots = server.trust().roots();
        if (link != null && link.roots().equals(roots)) {
            return link.channel();
        }
        if (link != null) {
            link.channel().shutdown(); // what is under way may finish
        }
        var channel = ControlChannel.builder(server, roots).build();
        link = new Link(roots, channel);
        return channel;
    }

    @Override
    public void close() {
        @Nullable Link last;
        synchronized (this) {
            closed = true;
            last = link;
        }
        if (last != null) {
            last.channel().shutdownNow();
            try {
                last.channel().awaitTermination(2, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
