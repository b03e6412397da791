// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import com.sun.net.httpserver.HttpServer;
import io.envoyproxy.envoy.service.auth.v3.AuthorizationGrpc;
import io.envoyproxy.envoy.service.auth.v3.CheckRequest;
import io.envoyproxy.envoy.service.auth.v3.CheckResponse;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/// Decides by HTTP and by gRPC: whoever sends `x-authz: yes` may, and connections from this machine may.
final class TestAuthorizer implements AutoCloseable {
    private final AtomicInteger asked = new AtomicInteger();
    private final HttpServer http;
    private final Server grpc;

    TestAuthorizer() throws IOException {
        var address = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0);
        http = HttpServer.create(address, 0);
        http.createContext("/", exchange -> {
            asked.incrementAndGet();
            var path = exchange.getRequestURI().getPath();
            var allowed = path.startsWith("/check/")
                    && "yes".equals(exchange.getRequestHeaders().getFirst("x-authz"))
                    && "mesh".equals(exchange.getRequestHeaders().getFirst("x-asked-by"));
            exchange.getResponseHeaders().add("x-from-authz", "decided");
            exchange.getResponseHeaders().add("x-secret", "not for others");
            exchange.sendResponseHeaders(allowed ? 200 : 403, -1);
            exchange.close();
        });
        http.start();
        grpc = NettyServerBuilder.forAddress(address)
                .addService(new Grpc(asked))
                .build()
                .start();
    }

    private static final class Grpc extends AuthorizationGrpc.AuthorizationImplBase {
        private final AtomicInteger asked;

        Grpc(AtomicInteger asked) {
            this.asked = asked;
        }

        @Override
        public void check(CheckRequest request, StreamObserver<CheckResponse> answer) {
            asked.incrementAndGet();
            var http = request.getAttributes().getRequest().getHttp();
            var isHttp = !http.getMethod().isEmpty();
            var allowed = !isHttp
                    || "yes"
                            .equals(Optional.ofNullable(http.getHeadersMap().get("x-authz"))
                                    .orElse(""));
            answer.onNext(CheckResponse.newBuilder()
                    .setStatus(com.google.rpc.Status.newBuilder().setCode(allowed ? 0 : 7))
                    .build());
            answer.onCompleted();
        }
    }

    int httpPort() {
        return http.getAddress().getPort();
    }

    int grpcPort() {
        return grpc.getPort();
    }

    int asked() {
        return asked.get();
    }

    @Override
    public void close() {
        http.stop(0);
        grpc.shutdownNow();
    }
}
