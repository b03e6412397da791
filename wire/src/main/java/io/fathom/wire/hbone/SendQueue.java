// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/// Whose turn it is to send: streams that have something to send and a window for it go round, a share each, as
/// long as the connection's window lasts and its channel takes more. On the event loop of its connection.
final class SendQueue {
    /// The share of one turn: large enough for throughput, small enough not to keep others waiting.
    private static final int SHARE = 64 * 1024;
    /// Flushes of a full channel before others on the event loop have their turn.
    private static final int MAX_FLUSHES = 16;

    private final FrameOutput output;
    private final Channel channel;
    private int window = 65_535;
    private @Nullable Stream head;
    private @Nullable Stream tail;
    private boolean running;

    SendQueue(FrameOutput output, Channel channel) {
        this.output = output;
        this.channel = channel;
    }

    /// False if this is more than a window may have.
    boolean grow(int bytes) {
        if (window > Integer.MAX_VALUE - bytes) {
            return false;
        }
        window += bytes;
        return true;
    }

    void add(Stream stream) {
        if (stream.inSendQueue) {
            return;
        }
        stream.inSendQueue = true;
        stream.nextToSend = null;
        if (tail == null) {
            head = stream;
        } else {
            tail.nextToSend = stream;
        }
        tail = stream;
    }

    private @Nullable Stream poll() {
        var first = head;
        if (first != null) {
            head = first.nextToSend;
            if (head == null) {
                tail = null;
            }
            first.nextToSend = null;
            first.inSendQueue = false;
        }
        return first;
    }

    /// Sends what can be sent, and flushes.
    ///
    /// @return false if it stopped only to let others have their turn
    boolean run() {
        if (running) {
            return true; // the run that is on its way sees what has changed
        }
        running = true;
        try {
            var flushes = 0;
            while (head != null && window > 0) {
                if (!channel.isWritable()) {
                    output.flush();
                    if (!channel.isWritable()) {
                        return true;
                    }
                    if (++flushes == MAX_FLUSHES) {
                        return false;
                    }
                }
                var stream = poll();
                if (stream != null) {
                    window -= stream.send(Math.min(window, SHARE));
                    if (stream.canSend()) {
                        add(stream);
                    }
                }
            }
            output.flush();
            return true;
        } finally {
            running = false;
        }
    }

    void clear() {
        while (poll() != null) {
            // each forgets that it was queued
        }
    }
}
