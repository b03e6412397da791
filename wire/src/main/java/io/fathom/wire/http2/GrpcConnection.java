// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.http2;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The serving side of one connection without TLS, as a neighbour on the same machine makes it. Reads on one thread;
/// answers may be sent from any.
public final class GrpcConnection {
    private static final Logger log = LoggerFactory.getLogger(GrpcConnection.class);
    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int MOST_STREAMS = 1024;
    private static final byte[] SETTINGS = {0, 3, 0, 0, 4, 0}; // at most 1,024 streams at once
    private static final int REFUSED_STREAM = 7;
    private static final int OK = 0;
    private static final int UNIMPLEMENTED = 12;

    private static final class Open {
        private final GrpcService.Call call;
        private final MessageBuffer messages = new MessageBuffer();

        private Open(GrpcService.Call call) {
            this.call = call;
        }
    }

    private final SendWindow out;
    private final FrameInput in;
    private final Closeable socket;
    private final GrpcService service;
    private final Map<Integer, Open> streams = new HashMap<>(); // used by the reading thread only

    /// Over streams that belong to `socket`.
    public GrpcConnection(InputStream in, OutputStream out, Closeable socket, GrpcService service) {
        this.out = new SendWindow(out);
        this.in = new FrameInput(in, this.out);
        this.socket = socket;
        this.service = service;
    }

    /// Returns when the client has left.
    ///
    /// @throws IOException when the connection breaks, or what comes is not HTTP/2
    public void serve() throws IOException {
        try (socket) {
            if (!Arrays.equals(in.bytes(PREFACE.length), PREFACE)) {
                throw new IOException("this is not HTTP/2");
            }
            out.write(new Frame(Frame.SETTINGS, 0, 0, SETTINGS));
            for (; ; ) {
                switch (in.next()) {
                    case Incoming.Headers headers -> open(headers);
                    case Incoming.Data data -> data(data);
                    case Incoming.Reset reset -> cut(reset.stream());
                    case Incoming.GoAway _ -> {} // what is open goes on
                }
            }
        } finally {
            streams.values().forEach(open -> open.call.ended());
        }
    }

    private void open(Incoming.Headers headers) throws IOException {
        var id = headers.stream();
        if (streams.containsKey(id)) {
            finish(id, headers.rest()); // trailers of the client
            return;
        }
        if (streams.size() >= MOST_STREAMS) {
            out.write(new Frame(Frame.RESET, 0, id, Frame.number(REFUSED_STREAM)));
            return;
        }
        var path = headers.headers().getOrDefault(":path", "/");
        var call = service.open(path.substring(1), message -> send(id, message));
        if (call.isEmpty()) {
            var answer = HeaderEncoder.encode(headers(UNIMPLEMENTED, "there is no " + path));
            out.write(new Frame(Frame.HEADERS, Frame.END_HEADERS | Frame.END_STREAM, id, answer));
            return;
        }
        streams.put(id, new Open(call.get()));
        out.open(id, HeaderEncoder.encode(head()));
        finish(id, headers.rest());
    }

    private void data(Incoming.Data data) throws IOException {
        var open = streams.get(data.stream());
        if (open == null) {
            return; // it was ended meanwhile
        }
        open.messages.add(data.bytes());
        for (var message = open.messages.take(); message.isPresent(); message = open.messages.take()) {
            open.call.message(message.get());
        }
        finish(data.stream(), data.rest());
    }

    private void finish(int id, Incoming.Rest rest) throws IOException {
        if (rest == Incoming.Rest.NOTHING) {
            var trailers = new LinkedHashMap<String, String>();
            trailers.put("grpc-status", String.valueOf(OK));
            out.trailers(id, HeaderEncoder.encode(trailers)); // after what still waits
            end(id);
        }
    }

    private void cut(int id) {
        out.forget(id);
        end(id);
    }

    private void end(int id) {
        var open = streams.remove(id);
        if (open != null) {
            open.call.ended();
        }
    }

    private void send(int id, byte[] message) {
        try {
            out.data(id, MessageBuffer.framed(message));
        } catch (IOException e) {
            log.atDebug().setCause(e).log("an answer could not be sent"); // reading ends soon, too
        }
    }

    private static Map<String, String> head() {
        var headers = new LinkedHashMap<String, String>();
        headers.put(":status", "200");
        headers.put("content-type", "application/grpc");
        return headers;
    }

    private static Map<String, String> headers(int status, String message) {
        var headers = head();
        headers.put("grpc-status", String.valueOf(status));
        headers.put("grpc-message", message);
        return headers;
    }
}
