// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.plugin;

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

/// Takes the posts of the plugin on a unix socket and answers them all alike, or not at all.
final class FakeAgentSocket implements AutoCloseable {
    private final ServerSocketChannel listener;
    private final List<SocketChannel> clients = new CopyOnWriteArrayList<>();
    private final List<String> posts = new CopyOnWriteArrayList<>();
    private final String answer;

    /// Answers with `status`; 0 means never.
    FakeAgentSocket(Path socket, int status, String text) throws IOException {
        Files.createDirectories(socket.getParent());
        answer = status == 0 ? "" : "HTTP/1.1 " + status + " X\r\ncontent-length: " + text.length() + "\r\n\r\n" + text;
        listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(socket));
        Thread.ofVirtual().start(this::serve);
    }

    /// Request line and body of each post.
    List<String> posts() {
        return posts;
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
            var body = new String(in.readNBytes(Integer.parseInt(length)), StandardCharsets.UTF_8);
            posts.add(head.substring(0, head.indexOf("\r\n")) + " " + body);
            if (!answer.isEmpty()) {
                client.write(ByteBuffer.wrap(answer.getBytes(StandardCharsets.UTF_8)));
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
    }
}
