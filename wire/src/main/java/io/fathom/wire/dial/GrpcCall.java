// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.dial;

import io.fathom.base.lang.ProblemException;
import io.grpc.Status;
import io.grpc.StatusException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// One question and one answer, on a connection of its own: for calls that are rare. A node proxy starts faster and
/// smaller without a gRPC library that it would use for one call an hour.
public final class GrpcCall implements GrpcStream.GrpcStreamListener {
    private static final int PREFIX = 5;
    private static final int LARGEST = 4 << 20;

    private final CompletableFuture<byte[]> answer = new CompletableFuture<>();
    private final ByteBuf bytes = Unpooled.buffer();
    private @Nullable GrpcStream stream;

    private GrpcCall() {}

    /// Blocks until the answer is there.
    ///
    /// @param method `package.Service/Method`
    /// @throws ProblemException when roots or token cannot be read
    /// @throws StatusException when there is no answer
    public static byte[] ask(ServerConfig server, String method, byte[] question, Duration timeout, EventLoop loop)
            throws StatusException {
        var call = new GrpcCall();
        return call.ask(() -> GrpcStream.open(server, method, call, loop), question, timeout);
    }

    /// Likewise by another way, with what that way proves of us.
    ///
    /// @param authority of the request
    /// @throws StatusException when there is no answer
    public static byte[] ask(
            GrpcTransport transport, String authority, String method, byte[] question, Duration timeout, EventLoop loop)
            throws StatusException {
        var call = new GrpcCall();
        return call.ask(() -> GrpcStream.open(transport, authority, method, call, loop), question, timeout);
    }

    private byte[] ask(Supplier<GrpcStream> opening, byte[] question, Duration timeout) throws StatusException {
        try (var opened = opening.get()) {
            begin(opened, question);
            return answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof StatusException status ? status : failed(Status.INTERNAL, e);
        } catch (TimeoutException e) {
            throw failed(Status.DEADLINE_EXCEEDED, "no answer within " + timeout.toSeconds() + "s");
        } catch (RejectedExecutionException e) {
            throw failed(Status.CANCELLED, "closed");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed(Status.CANCELLED, "interrupted");
        }
    }

    private static StatusException failed(Status status, Object reason) {
        return status.withDescription(String.valueOf(reason)).asException();
    }

    private synchronized void begin(GrpcStream opened, byte[] question) {
        stream = opened;
        opened.send(question);
        opened.finish();
    }

    private synchronized @Nullable GrpcStream stream() {
        return stream;
    }

    @Override
    public void received(List<ByteBuf> pieces) {
        for (var piece : pieces) {
            if (bytes.readableBytes() + piece.readableBytes() <= LARGEST) {
                bytes.writeBytes(piece);
            } else {
                answer.completeExceptionally(failed(Status.RESOURCE_EXHAUSTED, "the answer is too large"));
            }
            piece.release();
        }
        var opened = stream();
        if (opened != null) {
            opened.more();
        }
    }

    @Override
    public void ended(Status status, GrpcStream.Progress progress) {
        if (!status.isOk()) {
            answer.completeExceptionally(status.asException());
        } else if (bytes.readableBytes() < PREFIX || bytes.getUnsignedByte(0) != 0) {
            answer.completeExceptionally(failed(Status.INTERNAL, "the answer is empty or compressed"));
        } else {
            var length = Math.min(bytes.getInt(1), bytes.readableBytes() - PREFIX);
            var message = new byte[Math.max(0, length)];
            bytes.getBytes(PREFIX, message);
            answer.complete(message);
        }
    }
}
