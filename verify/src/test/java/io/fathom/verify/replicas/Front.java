// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.replicas;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/// Stands for the Service of a control plane: whoever connects is connected to a replica that serves now. Connections
/// that are there stay where they are.
final class Front implements AutoCloseable {
    private final ServerSocket listener;
    private volatile int target;

    Front(int target) throws IOException {
        this.target = target;
        this.listener = new ServerSocket(0, 128, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /// New connections go there.
    void lead(int replica) {
        target = replica;
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                var client = listener.accept();
                Thread.ofVirtual().start(() -> serve(client));
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void serve(Socket client) {
        try (client;
                var server = new Socket(InetAddress.getLoopbackAddress(), target)) {
            Thread.ofVirtual().start(() -> copy(client, server));
            copy(server, client);
        } catch (IOException e) {
            // one of them has gone: the other one is closed
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

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
