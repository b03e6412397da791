// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/// A TCP relay that can hold back what the server answers, for as long as a test wants.
final class SlowProxy implements AutoCloseable {
    private final ServerSocket listener;
    private final int target;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private volatile CountDownLatch gate = new CountDownLatch(0);

    SlowProxy(int target) {
        this.target = target;
        try {
            listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::accept);
    }

    URI address() {
        return URI.create("http://127.0.0.1:" + listener.getLocalPort());
    }

    /// Requests go through, answers do not.
    void hold() {
        gate = new CountDownLatch(1);
    }

    void release() {
        gate.countDown();
    }

    @Override
    public void close() {
        release();
        closeQuietly(listener);
        sockets.forEach(SlowProxy::closeQuietly);
    }

    private void accept() {
        try {
            while (true) {
                var client = listener.accept();
                var server = new Socket(InetAddress.getLoopbackAddress(), target);
                sockets.addAll(List.of(client, server));
                Thread.ofVirtual().start(() -> relay(client, server, Side.REQUESTS));
                Thread.ofVirtual().start(() -> relay(server, client, Side.ANSWERS));
            }
        } catch (IOException e) {
            return; // closed
        }
    }

    private enum Side {
        REQUESTS,
        ANSWERS
    }

    private void relay(Socket from, Socket to, Side side) {
        try (from;
                to) {
            var buffer = new byte[8192];
            for (var read = from.getInputStream().read(buffer);
                    read >= 0;
                    read = from.getInputStream().read(buffer)) {
                if (side == Side.ANSWERS) {
                    gate.await();
                }
                to.getOutputStream().write(buffer, 0, read);
            }
        } catch (IOException e) {
            return; // the other side went away
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void closeQuietly(AutoCloseable closeable) {
        try {
            closeable.close();
        } catch (Exception e) {
            return; // it is the end anyway
        }
    }
}
