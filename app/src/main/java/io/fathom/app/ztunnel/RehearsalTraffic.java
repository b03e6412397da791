// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.ztunnel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/// What clients do to a node proxy: each call is some work, done when it returns. For any thread.
public record RehearsalTraffic(RehearsalPods pods) {
    private static final int CLIENTS = 8;
    private static final int MESSAGE = 200;
    private static final int PIECE = 64 * 1024;
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private interface Client {
        void act() throws IOException;
    }

    /// New connections, some at a time, each with a message of 200 bytes that is echoed.
    public void connections(int count) {
        inParallel(() -> {
            for (var i = 0; i < count / CLIENTS; i++) {
                try (var channel = pods.connect(RehearsalPods.ECHO)) {
                    echo(channel);
                }
            }
        });
    }

    /// Small requests on connections that are kept.
    public void requests(int count) {
        inParallel(() -> {
            try (var channel = pods.connect(RehearsalPods.ECHO)) {
                for (var i = 0; i < count / CLIENTS; i++) {
                    echo(channel);
                }
            }
        });
    }

    /// As much as that towards the client.
    public void download(int mebibytes) throws IOException {
        try (var channel = pods.connect(RehearsalPods.SOURCE)) {
            var bytes = (long) mebibytes << 20;
            write(channel, ByteBuffer.allocate(Long.BYTES).putLong(bytes).flip());
            var buffer = ByteBuffer.allocateDirect(PIECE);
            for (var left = bytes; left > 0; buffer.clear()) {
                var read = channel.read(buffer);
                if (read < 0) {
                    throw new IOException("cut with " + left + " bytes to come");
                }
                left -= read;
            }
        }
    }

    /// As much as that towards the server.
    public void upload(int mebibytes) throws IOException {
        try (var channel = pods.connect(RehearsalPods.SINK)) {
            var buffer = ByteBuffer.allocateDirect(PIECE);
            for (var i = 0; i < mebibytes << 4; i++) {
                write(channel, buffer.clear());
            }
            channel.shutdownOutput();
            fill(channel, ByteBuffer.allocate(1));
        }
    }

    /// Connections that end without an answer, since a policy forbids them or nobody listens there.
    public void refused(int port, int count) {
        inParallel(() -> {
            for (var i = 0; i < count / CLIENTS; i++) {
                try (var channel = pods.connectDirectly(port)) {
                    var _ = channel.read(ByteBuffer.allocate(1));
                } catch (IOException e) {
                    // as it should be
                }
            }
        });
    }

    /// New connections from where there is no mesh.
    public void fromOutside(int count) throws IOException {
        for (var i = 0; i < count; i++) {
            try (var channel = pods.connectFromOutside(RehearsalPods.ECHO)) {
                echo(channel);
            }
        }
    }

    /// Questions about the address of a service, over TCP.
    public void questions(String name, int count) throws IOException {
        var question = ByteBuffer.allocate(512).position(2);
        question.putShort((short) 1)
                .putShort((short) 0x100)
                .putShort((short) 1)
                .putShort((short) 0)
                .putInt(0);
        for (var label : name.split("\\.")) {
            question.put((byte) label.length()).put(label.getBytes(StandardCharsets.US_ASCII));
        }
        question.put((byte) 0).putShort((short) 1).putShort((short) 1);
        question.putShort(0, (short) (question.position() - 2)).flip();
        try (var channel = pods.connectDirectly(53)) {
            for (var i = 0; i < count; i++) {
                write(channel, question.rewind());
                var length = ByteBuffer.allocate(2);
                fill(channel, length);
                fill(channel, ByteBuffer.allocate(length.getShort(0)));
            }
        }
    }

    /// Ends with the connection, which idles but for a message now and then.
    void linger() {
        try (var channel = pods.connect(RehearsalPods.ECHO)) {
            while (true) {
                echo(channel);
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        } catch (IOException e) {
            // the proxy has ended
        }
    }

    private static void echo(SocketChannel channel) throws IOException {
        var message = ByteBuffer.allocate(MESSAGE);
        write(channel, message);
        fill(channel, message.clear());
    }

    private static void write(SocketChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            var _ = channel.write(bytes);
        }
    }

    private static void fill(SocketChannel channel, ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            if (channel.read(buffer) < 0) {
                throw new IOException("cut");
            }
        }
    }

    private static void inParallel(Client client) {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var running = new ArrayList<Future<?>>();
            for (var i = 0; i < CLIENTS; i++) {
                running.add(threads.submit(() -> {
                    client.act();
                    return "done";
                }));
            }
            for (var each : running) {
                var _ = each.get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
