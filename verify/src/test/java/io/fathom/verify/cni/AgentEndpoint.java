// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.cni;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// The plugin's end of a node agent: takes posts and answers them all alike, or never.
final class AgentEndpoint implements AutoCloseable {
    private static final int SILENCE = 0;

    private final Path socket;
    private final ServerSocketChannel listener;
    private final List<SocketChannel> clients = new CopyOnWriteArrayList<>();
    private final List<String> bodies = new CopyOnWriteArrayList<>();
    private final int status;

    private AgentEndpoint(Path socket, int status) throws IOException {
        this.socket = socket;
        this.status = status;
        listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(socket));
        Thread.ofVirtual().start(this::serve);
    }

    static AgentEndpoint answering(Path socket, int status) throws IOException {
        return new AgentEndpoint(socket, status);
    }

    static AgentEndpoint silent(Path socket) throws IOException {
        return new AgentEndpoint(socket, SILENCE);
    }

    List<String> bodies() {
        return bodies;
    }

    private void serve() {
        try {
            for (; ; ) {
                var client = listener.accept();
                clients.add(client);
                Thread.ofVirtual().start(() -> take(client));
            }
        } catch (ClosedChannelException e) {
            // the test is over
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void take(SocketChannel client) {
        try {
            var in = new BufferedInputStream(Channels.newInputStream(client));
            var head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                head.append((char) in.read());
            }
            var length = head.toString().replaceAll("(?s).*content-length: (\\d+).*", "$1");
            bodies.add(new String(in.readNBytes(Integer.parseInt(length)), StandardCharsets.UTF_8));
            if (status != SILENCE) {
                var answer = "HTTP/1.1 " + status + " X\r\nContent-Length: 0\r\n\r\n";
                client.write(ByteBuffer.wrap(answer.getBytes(StandardCharsets.US_ASCII)));
            }
        } catch (IOException e) {
            // the plugin did not wait
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (var client : clients) {
            client.close();
        }
        Files.deleteIfExists(socket);
    }
}
