// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/// A server that answers each request with the first line of its connection, which is not HTTP's.
final class HeaderEcho implements AutoCloseable {
    final String address;
    private final ServerSocket socket;

    HeaderEcho(String address) throws IOException {
        this.address = address;
        this.socket = new ServerSocket(0, 50, InetAddress.ofLiteral(address));
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return socket.getLocalPort();
    }

    private void accept() {
        while (!socket.isClosed()) {
            try {
                var connection = socket.accept();
                Thread.ofVirtual().start(() -> serve(connection));
            } catch (IOException _) {
                return; // closed
            }
        }
    }

    private static void serve(Socket connection) {
        try (connection) {
            var lines =
                    new BufferedReader(new InputStreamReader(connection.getInputStream(), StandardCharsets.US_ASCII));
            var first = lines.readLine();
            for (var line = lines.readLine(); line != null && !line.isEmpty(); ) {
                line = lines.readLine();
            }
            connection
                    .getOutputStream()
                    .write(("HTTP/1.1 200 OK\r\nx-first-line: " + first
                                    + "\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
        } catch (IOException _) {
            // the client is gone
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
