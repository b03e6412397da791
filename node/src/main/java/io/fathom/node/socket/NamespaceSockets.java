// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.socket;

import io.fathom.base.posix.NamespaceThread;
import io.fathom.base.posix.NetworkNamespace;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.wire.zds.PodListener;
import io.netty.channel.ChannelException;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.UnixChannel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/// Sockets in the network namespace of one pod. For any thread, also event loops: streams and datagrams usually come
/// from a small stock that is filled up in the background, so that nobody waits for the thread that travels.
public final class NamespaceSockets implements Sockets, AutoCloseable {
    private final NamespaceThread thread;
    private final NetworkNamespace namespace;
    private final SocketMaker maker;
    private final SocketStock<EpollSocketChannel> streams;
    private final SocketStock<EpollDatagramChannel> datagrams;
    private final BoundSockets bound = new BoundSockets();

    NamespaceSockets(NamespaceThread thread, NetworkNamespace namespace, SocketMaker maker) {
        this.thread = thread;
        this.namespace = namespace;
        this.maker = maker;
        this.streams = new SocketStock<>(count -> later(maker::stream, count));
        this.datagrams = new SocketStock<>(count -> later(maker::datagram, count));
    }

    public NetworkNamespace namespace() {
        return namespace;
    }

    @Override
    public EpollServerSocketChannel listener() {
        return visit(maker::listener);
    }

    @Override
    public EpollServerSocketChannel listener(Ip.Family family) {
        return visit(() -> maker.listener(family));
    }

    @Override
    public EpollSocketChannel stream() {
        var ready = streams.take();
        return ready == null ? visit(maker::stream) : ready;
    }

    @Override
    public EpollDatagramChannel datagram() {
        var ready = datagrams.take();
        return ready == null ? visit(maker::datagram) : ready;
    }

    @Override
    public EpollDatagramChannel datagram(Ip.Family family) {
        return visit(() -> maker.datagram(family));
    }

    /// What listens in the pod already, left by the proxy before. Takes the sockets over.
    public void take(List<PodListener> listeners) {
        bound.add(listeners);
    }

    /// The rest of them is not needed.
    public void closeUnused() {
        bound.closeUnused();
    }

    /// What listens in the pod now, for the agent to keep. They belong to the caller.
    public List<PodListener> listeners() {
        return bound.copies();
    }

    @Override
    public Optional<EpollServerSocketChannel> boundListener(IpPort at) {
        return bound.listener(at);
    }

    @Override
    public Optional<EpollDatagramChannel> boundDatagram(IpPort at) {
        return bound.datagram(at);
    }

    @Override
    public void bound(IpPort at, UnixChannel channel) {
        bound.opened(at, channel);
    }

    @Override
    public boolean canKeepSource() {
        return maker.canKeepSource();
    }

    private <C> C visit(Supplier<C> constructor) {
        try {
            return thread.inside(namespace, constructor::get);
        } catch (IOException e) {
            throw new ChannelException("no socket in " + namespace, e);
        } catch (CompletionException e) {
            throw e.getCause() instanceof ChannelException cause ? cause : e;
        }
    }

    private <C> CompletableFuture<List<C>> later(Supplier<C> constructor, int count) {
        return thread.submit(namespace, () -> {
            var made = new ArrayList<C>(count);
            try {
                for (int i = 0; i < count; i++) {
                    made.add(constructor.get());
                }
            } catch (ChannelException e) {
                // fewer, then
            }
            return made;
        });
    }

    /// Sockets that were handed out live on; no more are made.
    @Override
    public void close() {
        streams.close();
        datagrams.close();
        bound.closeUnused();
        namespace.close();
    }
}
