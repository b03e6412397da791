// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.ca;

import com.google.protobuf.InvalidProtocolBufferException;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.dial.GrpcCall;
import io.fathom.wire.dial.ServerConfig;
import io.fathom.wire.proto.ca.IstioCertificateResponse;
import io.grpc.Status;
import io.grpc.StatusException;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Orders certificates from a server of the control plane, each over a connection of its own: orders are rare, and what
/// is trusted may change between them. Blocks its caller; any number of threads.
public final class CertificateConnection implements AutoCloseable {
    private static final String METHOD = "istio.v1.auth.IstioCertificateService/CreateCertificate";

    private final ServerConfig server;
    private final Duration timeout;
    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(
            1, Thread.ofPlatform().daemon().name("certificates").factory(), NioIoHandler.newFactory());

    public CertificateConnection(ServerConfig server, Duration timeout) {
        this.server = server;
        this.timeout = timeout;
    }

    /// The chain as it came: leaf, intermediates, roots.
    ///
    /// @throws ProblemException when roots or token cannot be read, or the server gives no certificate
    public List<String> create(CertificateOrder order) {
        try {
            var question = OrderCodec.encode(order).toByteArray();
            var answer = GrpcCall.ask(server, METHOD, question, timeout, loops.next());
            return IstioCertificateResponse.parseFrom(answer).getCertChainList();
        } catch (StatusException e) {
            throw new ProblemException(OrderCodec.problem(e.getStatus()));
        } catch (InvalidProtocolBufferException e) {
            throw new ProblemException(OrderCodec.problem(Status.INTERNAL.withDescription("an unreadable answer")));
        }
    }

    /// Orders that are under way fail.
    @Override
    public void close() {
        var _ = loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
}
