// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.pod;

import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.wire.net.SocketAddresses;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// An application: serves each connection on a virtual thread.
final class TestApp implements AutoCloseable {
    /// What it does with a connection.
    interface Service {
        void serve(Socket socket) throws IOException;
    }

    private final ServerSocket server;
    final List<IpPort> clients = new CopyOnWriteArrayList<>();
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();

    private TestApp(ServerSocket server) {
        this.server = server;
    }

    static TestApp start(String address, Service service) {
        return start(address, 0, service);
    }

    static TestApp start(String address, int port, Service service) {
        try {
            var server = new ServerSocket();
            server.bind(SocketAddresses.of(Ip.parse(address).orElseThrow(), port), 128);
            var app = new TestApp(server);
            Thread.ofVirtual().start(() -> app.accept(service));
            return app;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Sends back what it gets, and ends when the client does.
    static TestApp echo(String address) {
        return start(address, socket -> {
            socket.getInputStream().transferTo(socket.getOutputStream());
            socket.close();
        });
    }

    private void accept(Service service) {
        while (!server.isClosed()) {
            try {
                var socket = server.accept();
                sockets.add(socket);
                clients.add(SocketAddresses.of((InetSocketAddress) socket.getRemoteSocketAddress()));
                Thread.ofVirtual().start(() -> {
                    try {
                        service.serve(socket);
                    } catch (IOException e) {
                        // the client went
                    }
                });
            } catch (IOException e) {
                return;
            }
        }
    }

    int port() {
        return server.getLocalPort();
    }

    IpPort at(String address) {
        return new IpPort(Ip.parse(address).orElseThrow(), port());
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (var socket : sockets) {
            socket.close();
        }
    }
}
