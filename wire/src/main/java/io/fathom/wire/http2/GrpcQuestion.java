// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.http2;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/// One question and one answer on a connection of its own, which ends with it. Blocks its caller; how long is up to the
/// socket below.
public final class GrpcQuestion {
    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] SETTINGS = {0, 2, 0, 0, 0, 0}; // no pushes
    private static final int STREAM = 1;

    private final SendWindow out;
    private final FrameInput in;

    /// Over the streams of a connection that was just made.
    public GrpcQuestion(InputStream in, OutputStream out) {
        this.out = new SendWindow(out);
        this.in = new FrameInput(in, this.out);
    }

    /// Once only.
    ///
    /// @param method `package.Service/Method`
    /// @param headers besides those that each call has
    /// @throws GrpcRefusal when the server gives another answer
    /// @throws IOException when it gives none
    public byte[] ask(String authority, String method, Map<String, String> headers, byte[] question)
            throws IOException {
        var head = new LinkedHashMap<String, String>();
        head.put(":method", "POST");
        head.put(":scheme", "https");
        head.put(":path", "/" + method);
        head.put(":authority", authority);
        head.put("te", "trailers");
        head.put("content-type", "application/grpc");
        head.put("user-agent", "fathom");
        head.putAll(headers);
        out.write(PREFACE);
        out.write(new Frame(Frame.SETTINGS, 0, 0, SETTINGS));
        out.open(STREAM, HeaderEncoder.encode(head));
        out.last(STREAM, MessageBuffer.framed(question));
        return answer();
    }

    private byte[] answer() throws IOException {
        var messages = new MessageBuffer();
        for (; ; ) {
            switch (in.next()) {
                case Incoming.Headers headers -> {
                    refuse(headers.headers());
                    if (headers.rest() == Incoming.Rest.NOTHING) {
                        return messages.take().orElseThrow(() -> new IOException("the server gave an empty answer"));
                    }
                }
                case Incoming.Data data -> messages.add(data.bytes());
                case Incoming.Reset reset -> throw new IOException("the server cut the call off, code " + reset.code());
                case Incoming.GoAway goAway -> {
                    if (goAway.lastStream() < STREAM) {
                        throw new IOException("the server takes no calls, code " + goAway.code());
                    }
                }
            }
        }
    }

    private static void refuse(Map<String, String> headers) throws IOException {
        var status = headers.getOrDefault(":status", "200");
        if (!status.equals("200")) {
            throw new IOException("the server answered with HTTP status " + status);
        }
        var code = headers.getOrDefault("grpc-status", "0");
        if (!code.equals("0")) {
            throw new GrpcRefusal(code, decoded(headers.getOrDefault("grpc-message", "")));
        }
    }

    private static String decoded(String message) {
        try {
            return URLDecoder.decode(message.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException _) {
            return message;
        }
    }
}
