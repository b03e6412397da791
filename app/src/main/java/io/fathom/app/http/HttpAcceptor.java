// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.http;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Accepts the connections of a port and waits for their first requests, all on one thread that never blocks. So a
/// client that stalls costs a few bytes and no thread, and a probe ([Pages#probe]) is answered right here: it waits
/// neither for other clients nor for a second thread to be scheduled. Everything else is handed over as soon as its
/// head is whole.
final class HttpAcceptor implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(HttpAcceptor.class);
    private static final int MOST_CONNECTIONS = 512;
    private static final int MOST_AT_ONCE = 32;
    private static final int ACCEPTED_PER_ROUND = 64;
    private static final int LOOK_AROUND_MILLIS = 1000;

    /// Takes over a connection, in blocking mode.
    interface Handover {
        /// Returns at once.
        ///
        /// @param begun what has been read already
        void serve(SocketChannel channel, HttpVisit visit, byte[] begun);
    }

    private final ServerSocketChannel listener;
    private final Selector selector;
    private final SelectionKey accepting;
    private final HttpArrival.Opening opening;
    private final Pages pages;
    private final Set<HttpVisit> visits;
    private final Handover handover;
    private final ByteBuffer scratch = ByteBuffer.allocateDirect(HttpRequest.MOST_HEAD);
    private volatile boolean stopped;

    /// @param listener bound, and closed by [#run] at its end
    /// @param visits that are open, those that have been handed over included
    HttpAcceptor(
            ServerSocketChannel listener,
            HttpArrival.Opening opening,
            Pages pages,
            Set<HttpVisit> visits,
            Handover handover)
            throws IOException {
        this.listener = listener;
        this.opening = opening;
        this.pages = pages;
        this.visits = visits;
        this.handover = handover;
        this.selector = Selector.open();
        listener.configureBlocking(false);
        this.accepting = listener.register(selector, SelectionKey.OP_ACCEPT);
    }

    /// Any thread. The port is free when [#run] has returned.
    void stop() {
        stopped = true;
        selector.wakeup();
    }

    @Override
    public void run() {
        var looked = System.nanoTime();
        try {
            while (!stopped) {
                selector.select(this::proceed, LOOK_AROUND_MILLIS);
                var now = System.nanoTime();
                if (now - looked > LOOK_AROUND_MILLIS * 1_000_000L) {
                    looked = now;
                    visits.stream().filter(visit -> visit.isOverdue(now)).forEach(this::leave);
                    accepting.interestOps(SelectionKey.OP_ACCEPT);
                }
            }
        } catch (IOException e) {
            log.atError().setCause(e).log("http port is closed");
        } finally {
            close();
        }
    }

    private void close() {
        try {
            listener.close();
            selector.close(); // only now is the port free
        } catch (IOException e) {
            log.atDebug().setCause(e).log("http port could not be closed");
        }
    }

    private void proceed(SelectionKey key) {
        if (key.attachment() instanceof HttpArrival arrival) {
            read(arrival);
        } else {
            accept();
        }
    }

    private void accept() {
        try {
            for (var i = 0; i < ACCEPTED_PER_ROUND; i++) {
                var channel = listener.accept();
                if (channel == null) {
                    return;
                }
                welcome(channel);
            }
        } catch (IOException e) {
            log.atWarn().setCause(e).log("http connection could not be accepted");
            HttpVisit.toLeave(visits, MOST_AT_ONCE).forEach(this::leave);
            accepting.interestOps(0); // until the next look around: it fails again meanwhile
        }
    }

    private void welcome(SocketChannel channel) throws IOException {
        if (visits.size() >= MOST_CONNECTIONS) {
            HttpVisit.toLeave(visits, MOST_AT_ONCE).forEach(this::leave);
        }
        try {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            var client = ((InetSocketAddress) channel.getRemoteAddress()).getAddress();
            var visit = new HttpVisit(client.getHostAddress(), channel, System.nanoTime());
            visits.add(visit);
            read(new HttpArrival(channel, visit)); // most requests are there when they are accepted
        } catch (IOException e) {
            channel.close(); // has left already
        }
    }

    private void leave(HttpVisit visit) {
        visits.remove(visit); // its thread, if it has one, ends a little later
        visit.cut();
    }

    private void read(HttpArrival arrival) {
        try {
            switch (arrival.read(scratch, opening)) {
                case PARTIAL -> await(arrival);
                case WHOLE -> answer(arrival);
                case GONE -> leave(arrival.visit());
            }
        } catch (IOException | CancelledKeyException e) {
            leave(arrival.visit());
        } catch (RuntimeException e) {
            log.atError().setCause(e).log("http connection failed");
            leave(arrival.visit());
        }
    }

    private void await(HttpArrival arrival) throws ClosedChannelException {
        if (!arrival.channel().isRegistered()) {
            arrival.channel().register(selector, SelectionKey.OP_READ, arrival);
        }
    }

    private void answer(HttpArrival arrival) throws IOException {
        var isProbe = opening == HttpArrival.Opening.HEAD && arrival.isHeadAlone();
        var begun = arrival.take();
        if (isProbe && isProbe(begun)) {
            probe(arrival, begun);
            return;
        }
        var key = arrival.channel().keyFor(selector);
        if (key != null) {
            key.cancel();
        }
        arrival.channel().configureBlocking(true);
        handover.serve(arrival.channel(), arrival.visit(), begun);
    }

    private boolean isProbe(byte[] begun) {
        try {
            var request = HttpRequest.read(HttpConnection.reader(new ByteArrayInputStream(begun)));
            return !request.hasBody()
                    && pages.at(request.path())
                            .filter(entry -> entry.speed() == Pages.Speed.AT_ONCE)
                            .isPresent();
        } catch (HttpRequest.Refused | IOException e) {
            return false; // whoever takes it over tells the client
        }
    }

    private void probe(HttpArrival arrival, byte[] request) throws IOException {
        var out = new ByteArrayOutputStream();
        var after = new HttpConnection(new ByteArrayInputStream(request), out, pages, arrival.visit(), false).serve();
        var reply = ByteBuffer.wrap(out.toByteArray());
        arrival.channel().write(reply);
        if (after == HttpRequest.AfterReply.CLOSE || reply.hasRemaining()) {
            leave(arrival.visit()); // a client that does not take a few bytes need not get them
        } else {
            await(arrival);
        }
    }
}
