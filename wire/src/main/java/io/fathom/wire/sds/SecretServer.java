// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.sds;

import io.fathom.wire.http2.GrpcConnection;
import io.fathom.wire.http2.GrpcService;
import io.fathom.wire.pki.TlsIdentity;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Serves secrets on a unix socket that only its owner may use. A client that asks for one that is not there yet gets
/// it once it is, and each newer one after that. One virtual thread for each connection, of which Envoy has one.
public final class SecretServer implements AutoCloseable {
    /// The key and the certificate of the pod.
    public static final String OWN = "default";
    /// What peers in the mesh are verified with.
    public static final String ROOTS = "ROOTCA";

    private static final Logger log = LoggerFactory.getLogger(SecretServer.class);
    private static final String SERVICE = "envoy.service.secret.v3.SecretDiscoveryService/";
    private static final int MOST_CONNECTIONS = 64;

    private final Path path;
    private final ServerSocketChannel listener;
    private final Set<SocketChannel> connections = ConcurrentHashMap.newKeySet();
    private final Set<SecretStream> streams = ConcurrentHashMap.newKeySet();
    private Secrets secrets = Secrets.NONE;

    private SecretServer(Path path, ServerSocketChannel listener) {
        this.path = path;
        this.listener = listener;
    }

    /// Listens at once, without any secret. What an earlier process left at the path is removed.
    public static SecretServer start(Path path) throws IOException {
        var parent = path.toAbsolutePath().getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        Files.deleteIfExists(path);
        var listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            listener.bind(UnixDomainSocketAddress.of(path));
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
        } catch (IOException e) {
            listener.close();
            throw e;
        }
        var server = new SecretServer(path, listener);
        Thread.ofPlatform().daemon().name("sds-accept").start(server::acceptAll);
        return server;
    }

    /// From now on this is what the pod shows and trusts.
    public void publish(TlsIdentity identity) {
        publish(OWN, SecretCodec.certificate(OWN, identity));
        publish(ROOTS, SecretCodec.trust(ROOTS, identity.ownRoots()));
    }

    /// From now on whoever verifies with the secret of that name trusts these.
    public void publish(String name, List<X509Certificate> roots) {
        publish(name, SecretCodec.trust(name, roots));
    }

    private synchronized void publish(String name, byte[] secret) {
        secrets = secrets.with(name, secret);
        streams.forEach(stream -> stream.offer(secrets));
    }

    /// How many streams are open.
    public int streams() {
        return streams.size();
    }

    private void acceptAll() {
        while (listener.isOpen()) {
            try {
                accept(listener.accept());
            } catch (ClosedChannelException e) {
                return;
            } catch (IOException e) {
                log.atWarn().setCause(e).log("a connection for secrets could not be accepted");
            }
        }
    }

    private void accept(SocketChannel channel) throws IOException {
        if (connections.size() >= MOST_CONNECTIONS) {
            channel.close();
            return;
        }
        connections.add(channel);
        Thread.ofVirtual().name("sds").start(() -> serve(channel));
    }

    private void serve(SocketChannel channel) {
        try {
            new GrpcConnection(Channels.newInputStream(channel), Channels.newOutputStream(channel), channel, this::open)
                    .serve();
        } catch (IOException | RuntimeException e) {
            log.atDebug().setCause(e).log("a client of secrets left");
        } finally {
            connections.remove(channel);
        }
    }

    private Optional<GrpcService.Call> open(String method, GrpcService.Answers answers) {
        return switch (method) {
            case SERVICE + "StreamSecrets" -> Optional.of(register(new SotwSecrets(answers)));
            case SERVICE + "DeltaSecrets" -> Optional.of(register(new DeltaSecrets(answers)));
            default -> Optional.empty();
        };
    }

    private synchronized GrpcService.Call register(SecretStream stream) {
        streams.add(stream);
        stream.offer(secrets);
        return new GrpcService.Call() {
            @Override
            public void message(byte[] message) throws IOException {
                stream.message(message);
            }

            @Override
            public void ended() {
                streams.remove(stream);
            }
        };
    }

    /// Stops listening and cuts what is open.
    @Override
    public void close() {
        closeQuietly(listener);
        connections.forEach(SecretServer::closeQuietly);
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            log.atDebug().setCause(e).log("the socket stays");
        }
    }

    private static void closeQuietly(AutoCloseable closeable) {
        try {
            closeable.close();
        } catch (Exception e) {
            log.atDebug().setCause(e).log("a socket could not be closed");
        }
    }
}
