// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.zds;

import io.fathom.base.lang.ProblemException;
import io.fathom.base.posix.PosixException;
import io.fathom.base.posix.SeqPacketSocket;
import java.time.Duration;
import java.util.Optional;

/// The agent's end of a connection. One thread at a time sends, and waits for the answer before the next request.
///
/// After a time-out the connection is closed: a late answer would be taken for that to the next request.
public final class ZdsConnection implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final SeqPacketSocket socket;

    ZdsConnection(SeqPacketSocket socket) {
        this.socket = socket;
    }

    SeqPacketSocket socket() {
        return socket;
    }

    public SeqPacketSocket.Peer peer() throws ProblemException {
        try {
            return socket.peer();
        } catch (PosixException e) {
            throw lost("the proxy's credentials cannot be read: " + e.getMessage());
        }
    }

    /// Waits for the greeting and answers the version that the proxy speaks.
    public int greeting() throws ProblemException {
        return greeting(PATIENCE);
    }

    int greeting(Duration patience) {
        return ZdsCodec.helloVersion(receive(patience, "to greet"));
    }

    /// Sends and waits for the answer: why the proxy refuses, or empty. The request's descriptor stays the caller's.
    public Optional<String> send(ZdsRequest request) throws ProblemException {
        return send(request, PATIENCE);
    }

    Optional<String> send(ZdsRequest request, Duration patience) {
        var bytes = ZdsCodec.encode(request);
        try {
            socket.timeouts(patience, patience);
            socket.send(bytes, ZdsCodec.descriptors(request));
        } catch (PosixException e) {
            throw lost("the proxy took no request: " + e.getMessage());
        }
        return ZdsCodec.decodeAck(receive(patience, "to answer"));
    }

    /// Whether the proxy is still there. It has nothing to say unasked: if it does, it is not to be trusted.
    public boolean isAlive() {
        try {
            socket.timeouts(Duration.ofMillis(10), PATIENCE);
            socket.receive(ZdsCodec.MOST_BYTES, 0).ifPresent(SeqPacketSocket.Packet::close);
        } catch (PosixException e) {
            if (e.isTimeout()) {
                return true;
            }
        }
        close();
        return false;
    }

    private SeqPacketSocket.Packet receive(Duration patience, String purpose) {
        try {
            socket.timeouts(patience, patience);
            return socket.receive(ZdsCodec.MOST_BYTES, 0).orElseThrow(() -> lost("the proxy left"));
        } catch (PosixException e) {
            throw lost(
                    e.isTimeout()
                            ? "the proxy took longer than " + patience.toMillis() + "ms " + purpose
                            : "the proxy cannot be heard: " + e.getMessage());
        }
    }

    private ProblemException lost(String reason) {
        close();
        return new ProblemException(ZdsProblem.lost(reason));
    }

    @Override
    public void close() {
        socket.close();
    }
}
