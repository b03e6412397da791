// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.http;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/// One call over a unix socket, within a time for all of it: connecting, sending, waiting, reading.
public final class UnixHttp {
    private static final int MAX_ANSWER = 1024 * 1024;

    /// An answer that was read to its end.
    public record UnixHttpReply(int status, String body) {}

    private UnixHttp() {}

    /// Blocks; from any thread.
    ///
    /// @throws SocketTimeoutException when there is no complete answer after `patience`
    public static UnixHttpReply call(Path socket, HttpCall call, Duration patience) throws IOException {
        var done = new CountDownLatch(1);
        var late = new AtomicBoolean();
        try (var channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            // A channel has no timeout of its own; closing it ends whatever waits for it.
            var watchdog =
                    Thread.ofPlatform().daemon().name("deadline").start(() -> expire(channel, done, late, patience));
            try {
                channel.connect(UnixDomainSocketAddress.of(socket));
                var link = new HttpLink(Channels.newInputStream(channel), Channels.newOutputStream(channel), channel);
                var answer = link.call(call);
                return new UnixHttpReply(answer.status(), answer.text(MAX_ANSWER));
            } finally {
                done.countDown();
                watchdog.interrupt();
            }
        } catch (IOException e) {
            if (late.get()) {
                var timeout = new SocketTimeoutException("no answer within " + patience.toMillis() + " ms");
                timeout.initCause(e);
                throw timeout;
            }
            throw e;
        }
    }

    private static void expire(SocketChannel channel, CountDownLatch done, AtomicBoolean late, Duration patience) {
        try {
            if (!done.await(patience.toNanos(), TimeUnit.NANOSECONDS)) {
                late.set(true);
                channel.close();
            }
        } catch (InterruptedException | IOException e) {
            // The call is over, or the channel is.
        }
    }
}
