// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.socket;

import io.fathom.base.posix.Descriptor;
import io.fathom.base.posix.PosixException;
import io.fathom.model.mesh.IpPort;
import io.fathom.wire.zds.PodListener;
import io.netty.channel.ChannelException;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.unix.UnixChannel;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;

/// The listening sockets of one pod: those that came with it, until they are used or [#closeUnused], and those that are
/// open now. For any thread.
final class BoundSockets {
    private final Map<String, Descriptor> unused = new HashMap<>();
    private final Map<String, UnixChannel> open = new LinkedHashMap<>();

    /// Takes them over.
    synchronized void add(List<PodListener> listeners) {
        for (var listener : listeners) {
            var twin = unused.put(listener.name(), listener.socket());
            if (twin != null) {
                twin.close();
            }
        }
    }

    Optional<EpollServerSocketChannel> listener(IpPort at) {
        return use("tcp/" + at, at, EpollServerSocketChannel::new);
    }

    Optional<EpollDatagramChannel> datagram(IpPort at) {
        return use("udp/" + at, at, EpollDatagramChannel::new);
    }

    private synchronized <C extends UnixChannel> Optional<C> use(String name, IpPort at, IntFunction<C> constructor) {
        var descriptor = unused.remove(name);
        if (descriptor == null) {
            return Optional.empty();
        }
        try {
            var channel = constructor.apply(descriptor.release());
            if (channel.localAddress() instanceof InetSocketAddress address && address.getPort() == at.port()) {
                return Optional.of(channel);
            }
            SocketMaker.discard(channel);
            return Optional.empty();
        } catch (PosixException | ChannelException e) {
            return Optional.empty(); // then a new one is made
        }
    }

    synchronized void opened(IpPort at, UnixChannel channel) {
        open.put((channel instanceof EpollDatagramChannel ? "udp/" : "tcp/") + at, channel);
    }

    synchronized void closeUnused() {
        unused.values().forEach(Descriptor::close);
        unused.clear();
    }

    /// Other descriptors of those that are open. They belong to the caller.
    synchronized List<PodListener> copies() {
        var copies = new ArrayList<PodListener>();
        try {
            for (var entry : open.entrySet()) {
                if (entry.getValue().isOpen()) {
                    copies.add(new PodListener(
                            entry.getKey(),
                            Descriptor.duplicateOf(entry.getValue().fd().intValue())));
                }
            }
            return copies;
        } catch (PosixException e) {
            copies.forEach(PodListener::close);
            return List.of(); // all or none: a part would leave ports that nobody listens on
        }
    }
}
