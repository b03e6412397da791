// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.fleet;

import com.google.protobuf.InvalidProtocolBufferException;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.fleet.FleetUp;
import io.fathom.wire.dial.GrpcStream;
import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The stream of an agent. Methods from any thread; the listener hears of everything on the loop.
///
/// @param <M> what comes down
public final class FleetLink<M> implements GrpcStream.GrpcStreamListener, AutoCloseable {
    private static final int PREFIX = 5;
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
    private final ByteBuf bytes = Unpooled.buffer();
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
        for (var piece : pieces) {
            bytes.writeBytes(piece);
            piece.release();
        }
        if (broken) {
            return;
        }
        try {
            for (var message = next(); message.isPresent(); message = next()) {
                reader.read(message.get()).ifPresent(listener::received);
            }
        } catch (InvalidProtocolBufferException e) {
            fail(FleetCodec.unreadable(e));
            return;
        } catch (ProblemException e) {
            fail(e);
            return;
        }
        bytes.discardSomeReadBytes();
        var opened = stream;
        if (opened != null) {
            opened.more();
        }
    }

    private Optional<byte[]> next() throws InvalidProtocolBufferException {
        if (bytes.readableBytes() < PREFIX) {
            return Optional.empty();
        }
        var length = bytes.getInt(bytes.readerIndex() + 1);
        if (bytes.getByte(bytes.readerIndex()) != 0 || length < 0 || length > LARGEST) {
            throw new InvalidProtocolBufferException("a message is compressed or too large");
        }
        if (bytes.readableBytes() < PREFIX + length) {
            return Optional.empty();
        }
        bytes.skipBytes(PREFIX);
        var message = new byte[length];
        bytes.readBytes(message);
        return Optional.of(message);
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
