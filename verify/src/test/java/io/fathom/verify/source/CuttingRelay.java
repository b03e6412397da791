// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.source;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/// A TCP port in front of a server that loses connections when told to. Any thread.
final class CuttingRelay implements AutoCloseable {
    private final ServerSocket listener = new ServerSocket(0, 128, InetAddress.getLoopbackAddress());
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger accepted = new AtomicInteger();
    private final int target;
    private volatile boolean down;

    CuttingRelay(int target) throws IOException {
        this.target = target;
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /// How many connections there have been.
    int accepted() {
        return accepted.get();
    }

    /// Ends all connections; new ones are let through.
    void cut() {
        open.forEach(CuttingRelay::end);
    }

    /// Ends all connections, and new ones at once.
    void goDown() {
        down = true;
        cut();
    }

    void comeBack() {
        down = false;
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                var client = listener.accept();
                if (down) {
                    client.close();
                } else {
                    accepted.incrementAndGet();
                    Thread.ofVirtual().start(() -> serve(client));
                }
            } catch (IOException e) {
                return; // it was closed
            }
        }
    }

    private void serve(Socket client) {
        try (client;
                var server = new Socket(InetAddress.getLoopbackAddress(), target)) {
            open.add(client);
            open.add(server);
            Thread.ofVirtual().start(() -> copy(client, server));
            copy(server, client);
            open.remove(server);
        } catch (IOException e) {
            // one of them has gone: the other one is closed
        } finally {
            open.remove(client);
        }
    }

    private static void copy(Socket from, Socket to) {
        try (from;
                to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // the same end
        }
    }

    private static void end(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // it was closed already
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        cut();
    }
}
