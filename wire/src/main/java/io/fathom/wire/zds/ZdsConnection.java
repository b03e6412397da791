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

    /// Waits for the greeting.
    public ZdsGreeting greeting() throws ProblemException {
        return greeting(PATIENCE);
    }

    ZdsGreeting greeting(Duration patience) {
        return ZdsCodec.greeting(receive(patience, "to greet", 0));
    }

    /// Sends and waits for the answer: why the proxy refuses, or empty. The request's descriptors stay the caller's.
    public Optional<String> send(ZdsRequest request) throws ProblemException {
        return send(request, PATIENCE);
    }

    Optional<String> send(ZdsRequest request, Duration patience) {
        var answer = exchange(request, patience);
        answer.listeners().forEach(PodListener::close);
        return answer.refusal();
    }

    /// The same with the whole answer.
    public ZdsAnswer exchange(ZdsRequest request) throws ProblemException {
        return exchange(request, PATIENCE);
    }

    private ZdsAnswer exchange(ZdsRequest request, Duration patience) {
        var fitting = ZdsCodec.fitting(request);
        var bytes = ZdsCodec.encode(fitting);
        try {
            socket.timeouts(patience, patience);
            socket.send(bytes, ZdsCodec.descriptors(fitting));
        } catch (PosixException e) {
            throw lost("the proxy took no request: " + e.getMessage());
        }
        return ZdsCodec.decodeAnswer(receive(patience, "to answer", ZdsCodec.MOST_DESCRIPTORS));
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

    private SeqPacketSocket.Packet receive(Duration patience, String purpose, int mostDescriptors) {
        try {
            socket.timeouts(patience, patience);
            return socket.receive(ZdsCodec.MOST_BYTES, mostDescriptors).orElseThrow(() -> lost("the proxy left"));
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
