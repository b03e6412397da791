// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.fleet;

import com.google.protobuf.InvalidProtocolBufferException;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.fleet.FleetUp;
import io.fathom.wire.dial.GrpcStream;
import io.fathom.wire.dial.MessagePieces;
import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The stream of an agent. Methods from any thread; the listener hears of everything on the loop.
///
/// @param <M> what comes down
public final class FleetLink<M> implements GrpcStream.GrpcStreamListener, AutoCloseable {
    private static final int LARGEST = 16 << 20;

    /// Hears what comes. Must not block.
    public interface LinkListener<M> {
        void received(M message);

        /// Nothing comes after this.
        ///
        /// @param problem nothing when the server ended the stream in order
        void ended(Optional<Problem> problem);
    }

    private final ServerAddress server;
    private final LinkListener<M> listener;
    private final MessageReader<M> reader;
    private final MessagePieces messages = new MessagePieces(LARGEST);
    private volatile @Nullable GrpcStream stream;
    /// Confined to the loop.
    private boolean broken;

    /// Reads a message; nothing for one that is not known here.
    interface MessageReader<M> {
        Optional<M> read(byte[] bytes) throws InvalidProtocolBufferException;
    }

    FleetLink(ServerAddress server, MessageReader<M> reader, LinkListener<M> listener) {
        this.server = server;
        this.reader = reader;
        this.listener = listener;
    }

    void begin(GrpcStream opened) {
        stream = opened;
    }

    public void send(FleetUp message) {
        var opened = stream;
        if (opened != null) {
            opened.send(FleetCodec.encode(message).toByteArray());
        }
    }

    @Override
    public void close() {
        var opened = stream;
        if (opened != null) {
            opened.close();
        }
    }

    @Override
    public void received(List<ByteBuf> pieces) {
        messages.add(pieces);
        if (broken) {
            return;
        }
        try {
            for (var message = messages.next(); message.isPresent(); message = messages.next()) {
                reader.read(message.get()).ifPresent(listener::received);
            }
        } catch (InvalidProtocolBufferException e) {
            fail(FleetCodec.unreadable(e));
            return;
        } catch (ProblemException e) {
            fail(e);
            return;
        }
        var opened = stream;
        if (opened != null) {
            opened.more();
        }
    }

    private void fail(ProblemException e) {
        broken = true;
        close();
        listener.ended(Optional.of(e.problem()));
    }

    @Override
    public void ended(Status status, GrpcStream.Progress progress) {
        listener.ended(
                status.isOk() ? Optional.empty() : Optional.of(FleetRefusals.problem(status, server.toString())));
    }
}
