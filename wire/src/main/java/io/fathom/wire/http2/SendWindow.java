// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.http2;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What one side of a connection sends: as much as the other side allows, the rest later, in order. Any thread;
/// nobody waits for the other side's permission, only for the socket.
final class SendWindow {
    private static final int DEFAULT_WINDOW = 65_535;
    private static final int INITIAL_WINDOW_SIZE = 4;
    private static final int SETTING_BYTES = 6;

    private static final class Outgoing {
        private final Deque<byte[]> waiting = new ArrayDeque<>();
        private byte @Nullable [] trailers;
        private boolean endAfterData;
        private long window;

        private Outgoing(long window) {
            this.window = window;
        }

        private boolean isDone() {
            return waiting.isEmpty() && (trailers != null || endAfterData);
        }
    }

    private final OutputStream out;
    private final Map<Integer, Outgoing> streams = new HashMap<>();
    private long window = DEFAULT_WINDOW;
    private long initial = DEFAULT_WINDOW;

    SendWindow(OutputStream out) {
        this.out = new BufferedOutputStream(out, 8192);
    }

    /// Anything that no window is for.
    synchronized void write(Frame frame) throws IOException {
        frame.write(out);
        out.flush();
    }

    synchronized void write(byte[] bytes) throws IOException {
        out.write(bytes);
    }

    /// Headers that begin what we send on a stream.
    synchronized void open(int stream, byte[] headers) throws IOException {
        streams.put(stream, new Outgoing(initial));
        write(new Frame(Frame.HEADERS, Frame.END_HEADERS, stream, headers));
    }

    synchronized void data(int stream, byte[] bytes) throws IOException {
        var outgoing = streams.get(stream);
        if (outgoing != null) {
            outgoing.waiting.add(bytes);
            pump();
        }
    }

    /// The last bytes of a stream.
    synchronized void last(int stream, byte[] bytes) throws IOException {
        var outgoing = streams.get(stream);
        if (outgoing != null) {
            outgoing.endAfterData = true;
            data(stream, bytes);
        }
    }

    /// Nothing is sent on the stream after these.
    synchronized void trailers(int stream, byte[] headers) throws IOException {
        var outgoing = streams.get(stream);
        if (outgoing != null) {
            outgoing.trailers = headers;
            pump();
        }
    }

    /// The stream is gone.
    synchronized void forget(int stream) {
        streams.remove(stream);
    }

    /// The other side allows more.
    synchronized void widen(Frame update) throws IOException {
        var outgoing = streams.get(update.stream());
        if (update.stream() == 0) {
            window += update.increment();
        } else if (outgoing != null) {
            outgoing.window += update.increment();
        }
        pump();
    }

    /// Takes over what the other side announces, and says so.
    synchronized void settings(Frame settings) throws IOException {
        var bytes = settings.payload();
        for (int i = 0; i + SETTING_BYTES <= bytes.length; i += SETTING_BYTES) {
            if (((bytes[i] & 0xff) << 8 | (bytes[i + 1] & 0xff)) == INITIAL_WINDOW_SIZE) {
                var value = (long) (bytes[i + 2] & 0xff) << 24
                        | (bytes[i + 3] & 0xff) << 16
                        | (bytes[i + 4] & 0xff) << 8
                        | (bytes[i + 5] & 0xff);
                var change = value - initial;
                initial = value;
                streams.values().forEach(outgoing -> outgoing.window += change);
            }
        }
        write(new Frame(Frame.SETTINGS, Frame.ACK, 0, Frame.NOTHING));
        pump();
    }

    private void pump() throws IOException {
        for (Iterator<Map.Entry<Integer, Outgoing>> each = streams.entrySet().iterator(); each.hasNext(); ) {
            var entry = each.next();
            send(entry.getKey(), entry.getValue());
            if (entry.getValue().isDone()) {
                each.remove();
            }
        }
        out.flush();
    }

    private void send(int stream, Outgoing outgoing) throws IOException {
        for (var bytes = outgoing.waiting.peek(); bytes != null; bytes = outgoing.waiting.peek()) {
            var allowed = Math.min(Math.min(window, outgoing.window), Frame.MOST_BYTES);
            if (allowed <= 0) {
                return;
            }
            outgoing.waiting.remove();
            var part = bytes;
            if (bytes.length > allowed) {
                part = Arrays.copyOf(bytes, (int) allowed);
                outgoing.waiting.addFirst(Arrays.copyOfRange(bytes, part.length, bytes.length));
            }
            var last = outgoing.endAfterData && outgoing.waiting.isEmpty();
            new Frame(Frame.DATA, last ? Frame.END_STREAM : 0, stream, part).write(out);
            window -= part.length;
            outgoing.window -= part.length;
        }
        if (outgoing.trailers != null) {
            new Frame(Frame.HEADERS, Frame.END_HEADERS | Frame.END_STREAM, stream, outgoing.trailers).write(out);
        }
    }
}
