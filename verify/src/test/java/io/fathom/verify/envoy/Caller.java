// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.wire.hbone.ConnectHeaders;
import io.fathom.wire.hbone.HboneFailure;
import io.fathom.wire.hbone.HboneLimits;
import io.fathom.wire.hbone.HbonePool;
import io.fathom.wire.hbone.InnerTunnel;
import io.fathom.wire.hbone.Tunnel;
import io.fathom.wire.hbone.TunnelKey;
import io.fathom.wire.hbone.TunnelListener;
import io.fathom.wire.hbone.TunnelOpening;
import io.fathom.wire.tls.MeshTls;
import io.fathom.wire.tls.PeerRules;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollSocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/// A client of the mesh with its node proxy, played by this process: opens tunnels to a waypoint.
final class Caller implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final HbonePool pool;
    private final TunnelKey key;

    Caller(Identity identity, Identity waypoint, IpPort hop, LabAuthority authority, EventLoop loop) {
        var tls = new MeshTls(PeerRules.of(Set.of(), InstantSource.system()));
        pool = new HbonePool(List.of(loop), EpollSocketChannel::new, authority, tls, HboneLimits.DEFAULT);
        key = new TunnelKey(
                identity, Set.of(waypoint), hop, Ip.parse("10.0.0.1").orElseThrow());
    }

    /// The answer to a GET request in a tunnel of its own: status line, headers and body.
    String get(String authority, String path, String... headers) {
        var request = new StringBuilder("GET " + path + " HTTP/1.1\r\nhost: shop\r\nconnection: close\r\n");
        List.of(headers).forEach(header -> request.append(header).append("\r\n"));
        return open(authority).say(request + "\r\n").all();
    }

    /// A tunnel; fails if there is none.
    Conversation open(String authority) {
        return open(ConnectHeaders.to(authority));
    }

    Conversation open(ConnectHeaders headers) {
        var conversation = new Conversation();
        pool.open(key, headers, conversation);
        within(conversation.opened);
        return conversation;
    }

    /// A tunnel inside a tunnel, by the same client; fails if there is none.
    ///
    /// @param accepted who may answer in the inner one
    Conversation inside(ConnectHeaders outer, ConnectHeaders inner, Set<Identity> accepted) {
        return inside(outer, key.source(), inner, accepted);
    }

    /// The same by another client.
    Conversation inside(ConnectHeaders outer, Identity client, ConnectHeaders inner, Set<Identity> accepted) {
        var conversation = attempt(outer, client, inner, accepted);
        within(conversation.opened);
        return conversation;
    }

    /// The same, and there may be none.
    Conversation attempt(ConnectHeaders outer, Identity client, ConnectHeaders inner, Set<Identity> accepted) {
        var conversation = new Conversation();
        pool.openInner(key, outer, new InnerTunnel(client, accepted, inner), conversation);
        return conversation;
    }

    /// A tunnel that there may be none of.
    Conversation attempt(String authority) {
        var conversation = new Conversation();
        pool.open(key, ConnectHeaders.to(authority), conversation);
        return conversation;
    }

    /// Why there is no tunnel; fails if there is one.
    HboneFailure refusal(String authority) {
        return refusal(ConnectHeaders.to(authority));
    }

    HboneFailure refusal(ConnectHeaders headers) {
        var conversation = new Conversation();
        pool.open(key, headers, conversation);
        return within(conversation.failed);
    }

    static ConnectHeaders withBaggage(String authority, String baggage) {
        return new ConnectHeaders(
                authority, Optional.of(baggage), Optional.empty(), Optional.empty(), Optional.empty());
    }

    @Override
    public void close() {
        pool.close();
    }

    private static <T> T within(CompletableFuture<T> future) {
        return future.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    /// One tunnel.
    static final class Conversation implements TunnelOpening, TunnelListener {
        private final CompletableFuture<Tunnel> opened = new CompletableFuture<>();
        private final CompletableFuture<HboneFailure> failed = new CompletableFuture<>();
        private final CompletableFuture<String> over = new CompletableFuture<>();
        private final StringBuilder text = new StringBuilder();

        /// Whether nobody answers: there is no tunnel, or it ends once something has been said in it.
        boolean isRefused(String words) {
            return firstLine(words).isEmpty();
        }

        /// How the answer begins; nothing if nobody answers.
        String firstLine(String words) {
            try {
                var _ = say(words);
            } catch (CompletionException refused) {
                return "";
            }
            Awaitility.await(words).atMost(PATIENCE).until(() -> over.isDone() || soFar().contains("\n"));
            return soFar().lines().findFirst().orElse("");
        }

        Conversation say(String words) {
            var tunnel = within(opened);
            tunnel.loop().execute(() -> {
                tunnel.write(Unpooled.copiedBuffer(words, StandardCharsets.ISO_8859_1));
                tunnel.flush();
            });
            return this;
        }

        /// Nothing more will be said.
        Conversation finish() {
            var tunnel = within(opened);
            tunnel.loop().execute(tunnel::finish);
            return this;
        }

        void cancel() {
            var tunnel = within(opened);
            tunnel.loop().execute(() -> tunnel.reset(Tunnel.Reset.CANCELLED));
        }

        /// All that came until the other side had finished or given up.
        String all() {
            within(over);
            return soFar();
        }

        /// How it ended: `finished`, or why it was reset.
        String end() {
            return within(over);
        }

        synchronized String soFar() {
            return text.toString();
        }

        /// Waits until that has come.
        Conversation expect(String words) {
            Awaitility.await(words).atMost(PATIENCE).until(() -> soFar().contains(words));
            return this;
        }

        @Override
        public void opened(Opened tunnel) {
            opened.complete(tunnel.tunnel());
            tunnel.tunnel().listen(this);
            failed.completeExceptionally(new AssertionError("there is a tunnel"));
        }

        @Override
        public void failed(HboneFailure failure) {
            failed.complete(failure);
            opened.completeExceptionally(new AssertionError(failure.toString()));
            over.completeExceptionally(new AssertionError(failure.toString()));
        }

        @Override
        public synchronized void received(ByteBuf data) {
            text.append(data.toString(StandardCharsets.ISO_8859_1));
            within(opened).consumed(data.readableBytes());
            data.release();
        }

        @Override
        public void readComplete() {}

        @Override
        public void writable() {}

        @Override
        public void finished() {
            over.complete("finished");
        }

        @Override
        public void reset(Tunnel.Reset reason) {
            over.complete(reason.name());
        }
    }
}
