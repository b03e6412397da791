// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import io.fathom.model.mesh.IpPort;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.function.Predicate;

/// A client that writes frames byte by byte, right or wrong, to a server without TLS.
final class RawPeer implements AutoCloseable {
    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int PING = 6;
    static final int GOAWAY = 7;
    static final int WINDOW_UPDATE = 8;
    static final int CONTINUATION = 9;
    /// `:method: CONNECT` and `:authority: a:1`, literal.
    static final byte[] CONNECT = literal(new String[][] {{":method", "CONNECT"}, {":authority", "a:1"}});

    /// What the server sent.
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Frame(int type, int flags, int stream, byte[] payload) {
        int code() {
            var at = type == GOAWAY ? 4 : 0;
            return (payload[at] & 0xff) << 24
                    | (payload[at + 1] & 0xff) << 16
                    | (payload[at + 2] & 0xff) << 8
                    | (payload[at + 3] & 0xff);
        }
    }

    private final Socket socket;
    private final DataInputStream in;

    RawPeer(IpPort server) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
        socket.setSoTimeout(10_000);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(socket.getInputStream());
        raw("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        send(SETTINGS, 0, 0);
    }

    static byte[] literal(String[][] headers) {
        var out = new ByteArrayOutputStream();
        for (var header : headers) {
            out.write(0);
            for (var text : header) {
                out.write(text.length());
                out.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
            }
        }
        return out.toByteArray();
    }

    void raw(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    void send(int type, int flags, int stream, byte... payload) throws IOException {
        raw(frame(type, flags, stream, payload));
    }

    static byte[] frame(int type, int flags, int stream, byte... payload) {
        var out = new ByteArrayOutputStream();
        out.write(payload.length >> 16);
        out.write(payload.length >> 8);
        out.write(payload.length);
        out.write(type);
        out.write(flags);
        for (int shift = 24; shift >= 0; shift -= 8) {
            out.write(stream >> shift);
        }
        out.writeBytes(payload);
        return out.toByteArray();
    }

    /// The next frame.
    Frame read() throws IOException {
        var length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
        var type = in.readUnsignedByte();
        var flags = in.readUnsignedByte();
        var stream = in.readInt();
        return new Frame(type, flags, stream, in.readNBytes(length));
    }

    /// The next frame of which this is true.
    Frame read(Predicate<Frame> wanted) throws IOException {
        while (true) {
            var frame = read();
            if (wanted.test(frame)) {
                return frame;
            }
        }
    }

    Frame read(int type) throws IOException {
        return read(frame -> frame.type() == type);
    }

    /// Sends the same bytes again and again until the server has had enough, and returns its last word.
    int codeOfGoAwayAfterFlood(byte[] bytes, int times) throws IOException {
        var writer = Thread.ofVirtual().start(() -> {
            try {
                for (int i = 0; i < times; i++) {
                    raw(bytes);
                }
            } catch (IOException e) {
                // closed by the server, as hoped for
            }
        });
        try {
            return read(GOAWAY).code();
        } catch (EOFException | SocketException e) {
            return -1; // closed before the word came through
        } finally {
            writer.interrupt();
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
