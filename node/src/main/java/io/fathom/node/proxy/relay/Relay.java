// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.relay;

import io.fathom.wire.hbone.Tunnel;
import io.netty.buffer.ByteBuf;
import io.netty.channel.epoll.EpollSocketChannel;

/// One relayed connection: what a leg receives goes to the other. Everything happens on the event loop that both legs
/// share.
///
/// An end of one direction is carried over and the other direction goes on; a reset is carried over and ends both.
/// The observer hears exactly once that it is over.
public final class Relay {
    /// Hears what passes, on the event loop.
    public interface Observer {
        void fromClient(int bytes);

        void fromServer(int bytes);

        void ended();
    }

    private static final int BOTH = 2;

    private final Leg client;
    private final Leg server;
    private final Observer observer;
    private int written;
    private boolean over;

    private Relay(EpollSocketChannel client, Tunnel server, Observer observer) {
        this.client = new TcpLeg(client, this);
        this.server = new TunnelLeg(server, this);
        this.observer = observer;
    }

    private Relay(Tunnel client, EpollSocketChannel server, Observer observer) {
        this.client = new TunnelLeg(client, this);
        this.server = new TcpLeg(server, this);
        this.observer = observer;
    }

    private Relay(EpollSocketChannel client, EpollSocketChannel server, Observer observer) {
        this.client = new TcpLeg(client, this);
        this.server = new TcpLeg(server, this);
        this.observer = observer;
    }

    /// Of a connection that goes into a tunnel. As with the others: channels are registered with the loop, do not read
    /// by themselves and allow half closure, see [StreamOptions].
    public static Relay of(EpollSocketChannel client, Tunnel server, Observer observer) {
        return new Relay(client, server, observer);
    }

    /// Of a connection that comes out of a tunnel.
    public static Relay of(Tunnel client, EpollSocketChannel server, Observer observer) {
        return new Relay(client, server, observer);
    }

    /// Of a connection that never was in a tunnel.
    public static Relay of(EpollSocketChannel client, EpollSocketChannel server, Observer observer) {
        return new Relay(client, server, observer);
    }

    public void start() {
        server.start();
        if (!over) {
            client.start();
        }
    }

    /// As [#start()], with bytes that the client sent before.
    public void start(ByteBuf first) {
        if (first.isReadable()) {
            observer.fromClient(first.readableBytes());
            server.write(first);
            server.flush();
        } else {
            first.release();
        }
        start();
    }

    /// Ends both sides at once.
    public void cut() {
        if (!over) {
            over = true;
            client.abort();
            server.abort();
            observer.ended();
        }
    }

    /// Whether the leg may go on reading.
    boolean pass(Leg from, ByteBuf data) {
        if (over) {
            data.release();
            return true;
        }
        var toServer = from == client;
        if (toServer) {
            observer.fromClient(data.readableBytes());
        } else {
            observer.fromServer(data.readableBytes());
        }
        var to = toServer ? server : client;
        to.write(data);
        return to.isWritable();
    }

    /// What the leg has received is complete for now. Whether it may go on reading.
    boolean flush(Leg from) {
        if (over) {
            return false;
        }
        var to = other(from);
        to.flush();
        return to.isWritable();
    }

    void writable(Leg leg) {
        if (!over) {
            other(leg).resume();
        }
    }

    /// The leg receives no more.
    void finished(Leg leg) {
        if (!over) {
            other(leg).finish();
        }
    }

    /// A leg has written all it ever will. Whether both have: then all is over.
    boolean allWritten() {
        if (!over && ++written == BOTH) {
            over = true;
            client.release();
            server.release();
            observer.ended();
        }
        return over;
    }

    /// The leg is gone before its end.
    void broken(Leg leg) {
        if (!over) {
            over = true;
            leg.abort();
            other(leg).abort();
            observer.ended();
        }
    }

    private Leg other(Leg leg) {
        return leg == client ? server : client;
    }
}
