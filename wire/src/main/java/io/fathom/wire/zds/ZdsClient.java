// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.zds;

import io.fathom.base.lang.ProblemException;
import io.fathom.base.posix.PosixException;
import io.fathom.base.posix.SeqPacketSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// The proxy's end of a connection. One thread reads and answers: each request gets one answer before the next is
/// read. Another may close it.
public final class ZdsClient implements AutoCloseable {
    private static final Duration SEND_TIMEOUT = Duration.ofSeconds(5);

    private final SeqPacketSocket socket;

    private ZdsClient(SeqPacketSocket socket) {
        this.socket = socket;
    }

    /// Dials and greets.
    public static ZdsClient connect(Path path) throws ProblemException {
        try {
            var socket = SeqPacketSocket.connect(path);
            try {
                socket.timeouts(Duration.ZERO, SEND_TIMEOUT);
                socket.send(ZdsCodec.hello(), List.of());
                return new ZdsClient(socket);
            } catch (PosixException e) {
                socket.close();
                throw e;
            }
        } catch (PosixException e) {
            throw new ProblemException(e.problem("zds-unreachable"));
        }
    }

    /// Waits for the next request; empty when the agent has closed, or [#close] was called.
    ///
    /// @throws ProblemException if it cannot be used: say so with [#refuse] and close
    public Optional<ZdsRequest> next() throws ProblemException {
        try {
            return socket.receive(ZdsCodec.MOST_BYTES, ZdsCodec.MOST_DESCRIPTORS)
                    .map(ZdsCodec::decodeRequest);
        } catch (PosixException e) {
            throw new ProblemException(e.problem("zds-connection-lost"));
        }
    }

    public void accept() throws ProblemException {
        answer(Optional.empty(), List.of());
    }

    /// With what listens in the pod, for the agent to keep. The sockets stay the caller's.
    public void accept(List<PodListener> listeners) throws ProblemException {
        answer(Optional.empty(), listeners);
    }

    public void refuse(String reason) throws ProblemException {
        answer(Optional.of(reason), List.of());
    }

    private void answer(Optional<String> error, List<PodListener> listeners) {
        try {
            socket.send(
                    ZdsCodec.encodeAck(
                            error, listeners.stream().map(PodListener::name).toList()),
                    listeners.stream().map(PodListener::socket).toList());
        } catch (PosixException e) {
            throw new ProblemException(e.problem("zds-connection-lost"));
        }
    }

    @Override
    public void close() {
        socket.close();
    }
}
