// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.ztunnel;

import io.fathom.base.posix.NamespaceThread;
import io.fathom.base.posix.NetworkNamespace;
import io.fathom.base.posix.PosixException;
import io.fathom.node.cni.rules.CaptureSettings;
import io.fathom.node.cni.rules.NodeRules;
import io.fathom.node.cni.rules.RuleConfig;
import io.fathom.node.cni.rules.RuleContext;
import io.fathom.node.cni.zds.KnownPod;
import io.fathom.node.cni.zds.ProxyServer;
import io.fathom.node.cni.zds.ProxyServerConfig;
import io.fathom.wire.zds.PodInfo;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// Two pods of a node whose proxy is tried, captured as a node agent does it: a client, and a server with applications
/// on [#ECHO], [#SOURCE] and [#SINK]. The agent keeps listeners of a proxy that ends. For any thread.
public final class RehearsalPods implements AutoCloseable {
    /// Echoes.
    public static final int ECHO = 8000;
    /// Is asked for a number of bytes, in 8 bytes, and sends as many.
    public static final int SOURCE = 8001;
    /// Takes everything, and sends one byte after the end.
    public static final int SINK = 8002;

    private static final String SERVER = "10.77.0.2";
    private static final String SERVICE = "10.77.1.1";
    private static final int PIECE = 64 * 1024;

    private final NamespaceThread visitor;
    private final NetworkNamespace client;
    private final NetworkNamespace server;
    private final ProxyServer agent;

    private record Pod(String name, NetworkNamespace namespace) {
        KnownPod known() {
            return new KnownPod(new PodInfo("uid-" + name, name, "rehearsal", name), Optional.of(namespace));
        }
    }

    /// Captures both pods and hands them to every proxy that connects to the socket. `bin/lib/rehearsal-pods` makes the
    /// namespaces and manifests that this is about.
    ///
    /// @param client path of the network namespace of the client's pod
    /// @param server of the server's
    /// @throws io.fathom.base.lang.ProblemException if this machine cannot capture pods
    public static RehearsalPods start(Path socket, Path client, Path server) throws IOException {
        var rules = NodeRules.choose(RuleConfig.of(RuleContext.of(RuleContext.Families.V4)))
                .pods();
        for (var namespace : List.of(client, server)) {
            var _ = rules.apply(namespace, CaptureSettings.of(CaptureSettings.DnsCapture.CAPTURED));
        }
        return new RehearsalPods(socket, NetworkNamespace.open(client), NetworkNamespace.open(server));
    }

    private RehearsalPods(Path socket, NetworkNamespace client, NetworkNamespace server) throws IOException {
        this.visitor = NamespaceThread.start();
        this.client = client;
        this.server = server;
        serve(ECHO, RehearsalPods::echo);
        serve(SOURCE, RehearsalPods::send);
        serve(SINK, RehearsalPods::swallow);
        this.agent = ProxyServer.bind(socket, ProxyServerConfig.DEFAULT);
        agent.serve(() -> List.of(new Pod("client", client).known(), new Pod("server", server).known()), () -> {});
    }

    /// A connection from the client to a port of the service that the server is behind.
    SocketChannel connect(int port) throws IOException {
        return connect(SERVICE, port);
    }

    /// The same to the server itself.
    SocketChannel connectDirectly(int port) throws IOException {
        return connect(SERVER, port);
    }

    private SocketChannel connect(String address, int port) throws IOException {
        var channel = visitor.inside(client, SocketChannel::open);
        try {
            channel.connect(new InetSocketAddress(address, port));
            return channel;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /// A connection from the node, which is in no mesh.
    SocketChannel connectFromOutside(int port) throws IOException {
        return SocketChannel.open(new InetSocketAddress(SERVER, port));
    }

    private interface Application {
        void serve(SocketChannel channel, ByteBuffer buffer) throws IOException;
    }

    private void serve(int port, Application application) throws IOException {
        var listener = visitor.inside(server, ServerSocketChannel::open);
        listener.bind(new InetSocketAddress(port), 1024);
        var _ = Thread.ofPlatform().daemon().name("application-" + port).start(() -> {
            try {
                while (true) {
                    var channel = listener.accept();
                    var _ = Thread.ofVirtual().start(() -> attend(channel, application));
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private static void attend(SocketChannel channel, Application application) {
        try (channel) {
            application.serve(channel, ByteBuffer.allocateDirect(PIECE));
        } catch (IOException e) {
            // the other side has seen it, too
        }
    }

    private static void echo(SocketChannel channel, ByteBuffer buffer) throws IOException {
        while (channel.read(buffer) >= 0) {
            buffer.flip();
            while (buffer.hasRemaining()) {
                var _ = channel.write(buffer);
            }
            buffer.clear();
        }
    }

    private static void send(SocketChannel channel, ByteBuffer buffer) throws IOException {
        buffer.limit(Long.BYTES);
        while (buffer.hasRemaining() && channel.read(buffer) >= 0) {}
        for (var left = buffer.getLong(0); left > 0; ) {
            buffer.clear().limit((int) Math.min(PIECE, left));
            left -= channel.write(buffer);
        }
    }

    private static void swallow(SocketChannel channel, ByteBuffer buffer) throws IOException {
        while (channel.read(buffer) >= 0) {
            buffer.clear();
        }
        var _ = channel.write(ByteBuffer.allocate(1));
    }

    @Override
    public void close() throws PosixException {
        agent.close();
        visitor.close();
        client.close();
        server.close();
    }
}
