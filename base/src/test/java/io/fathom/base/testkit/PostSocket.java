// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.testkit;

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

/// A node agent's end of its CNI plugin: takes HTTP posts on a unix socket and answers them all alike, or not at all,
/// or with 404 where they are for another path; those it does not keep.
public final class PostSocket implements AutoCloseable {
    private static final int SILENCE = 0;

    private final Path socket;
    private final ServerSocketChannel listener;
    private final List<SocketChannel> clients = new CopyOnWriteArrayList<>();
    private final List<Post> posts = new CopyOnWriteArrayList<>();
    private final String path;
    private final String answer;

    /// What somebody sent.
    public record Post(String requestLine, String body) {}

    private PostSocket(String path, Path socket, int status, String text) throws IOException {
        this.path = path;
        this.socket = socket;
        Files.createDirectories(socket.getParent());
        answer = status == SILENCE ? "" : reply(status, text);
        listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(socket));
        Thread.ofVirtual().start(this::serve);
    }

    private static String reply(int status, String text) {
        return "HTTP/1.1 " + status + " X\r\ncontent-length: " + text.length() + "\r\n\r\n" + text;
    }

    /// Listens at once.
    public static PostSocket answering(Path socket, int status, String text) throws IOException {
        return new PostSocket("", socket, status, text);
    }

    /// Listens at once; only posts for `path` get the answer.
    public static PostSocket answeringAt(String path, Path socket, int status, String text) throws IOException {
        return new PostSocket(path, socket, status, text);
    }

    /// Listens at once, and says nothing.
    public static PostSocket silent(Path socket) throws IOException {
        return new PostSocket("", socket, SILENCE, "");
    }

    /// Request line and body of each post.
    public List<String> posts() {
        return posts.stream()
                .map(post -> post.requestLine() + " " + post.body())
                .toList();
    }

    public List<String> bodies() {
        return posts.stream().map(Post::body).toList();
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
            var requestLine = head.substring(0, head.indexOf("\r\n"));
            if (!requestLine.startsWith("POST " + path)) {
                client.write(ByteBuffer.wrap(reply(404, "").getBytes(StandardCharsets.UTF_8)));
                return;
            }
            posts.add(new Post(requestLine, body));
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
        Files.deleteIfExists(socket);
    }
}
