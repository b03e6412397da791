// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/// Stands between two networks, as a load balancer does: passes on each connection as it is, and counts them and what
/// they carry.
public final class PortRelay implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 10_000;

    private final ServerSocket server;
    private final InetSocketAddress target;
    private final AtomicInteger connections = new AtomicInteger();
    private final LongAdder bytes = new LongAdder();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile boolean swallowing;

    public PortRelay(String ip, int port, String targetIp, int targetPort) throws IOException {
        server = new ServerSocket(port, 50, InetAddress.ofLiteral(ip));
        target = new InetSocketAddress(targetIp, targetPort);
        Thread.ofVirtual().start(this::accept);
    }

    String address() {
        return server.getInetAddress().getHostAddress();
    }

    /// Takes connections from now on and passes nothing on, as a machine that lost its power behind a load balancer.
    void swallow() {
        swallowing = true;
    }

    /// Works again. What was swallowed is cut off.
    void spit() {
        swallowing = false;
        open.forEach(PortRelay::close);
    }

    int connections() {
        return connections.get();
    }

    /// That were passed on, in both directions.
    public long bytes() {
        return bytes.sum();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                var client = server.accept();
                connections.incrementAndGet();
                Thread.ofVirtual().start(() -> relay(client));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void relay(Socket client) {
        try (client;
                var onward = new Socket()) {
            open.add(client);
            open.add(onward);
            onward.connect(target, PATIENCE_MILLIS);
            var back = Thread.ofVirtual().start(() -> copy(onward, client));
            copy(client, onward);
            back.join();
        } catch (IOException e) {
            // either side has gone: so does the other
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            open.remove(client);
        }
    }

    private void copy(Socket from, Socket to) {
        try {
            var buffer = new byte[16 * 1024];
            for (var read = from.getInputStream().read(buffer);
                    read >= 0;
                    read = from.getInputStream().read(buffer)) {
                if (!swallowing) {
                    to.getOutputStream().write(buffer, 0, read);
                    bytes.add(read);
                }
            }
            to.shutdownOutput();
        } catch (IOException e) {
            close(from);
            close(to);
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // it is closed then
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        open.forEach(PortRelay::close);
    }
}
