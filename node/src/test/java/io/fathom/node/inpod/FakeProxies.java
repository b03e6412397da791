// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.inpod;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.node.socket.Loops;
import io.fathom.node.socket.Sockets;
import io.fathom.wire.zds.PodInfo;
import io.netty.channel.Channel;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/// Proxies that listen on 15008 in their pod and remember what became of them.
final class FakeProxies implements PodProxyFactory {
    private final Loops loops;
    final List<Fake> made = new CopyOnWriteArrayList<>();

    /// What the next start throws.
    volatile Optional<RuntimeException> bug = Optional.empty();

    FakeProxies(Loops loops) {
        this.loops = loops;
    }

    static final class Fake implements PodProxy {
        final PodInfo pod;
        final Sockets sockets;
        private final Channel listener;
        final CompletableFuture<Void> lastConnection = new CompletableFuture<>();

        Fake(PodInfo pod, Sockets sockets, Channel listener) {
            this.pod = pod;
            this.sockets = sockets;
            this.listener = listener;
        }

        boolean isServing() {
            return listener.isActive();
        }

        @Override
        public CompletableFuture<Void> drain() {
            listener.close().syncUninterruptibly();
            return lastConnection;
        }

        @Override
        public void close() {
            listener.close().syncUninterruptibly();
            lastConnection.complete(null);
        }
    }

    @Override
    public PodProxy start(PodInfo pod, Sockets sockets) {
        bug.ifPresent(e -> {
            throw e;
        });
        var listener = sockets.listener();
        try {
            var _ = loops.accept(listener, "::", 15008);
        } catch (Exception e) {
            listener.close().syncUninterruptibly();
            throw new ProblemException(new Problem(
                    "listen-failed",
                    "port 15008: " + e.getMessage(),
                    "",
                    Problem.Origin.SERVER,
                    Problem.Retry.SENSIBLE));
        }
        var fake = new Fake(pod, sockets, listener);
        made.add(fake);
        return fake;
    }

    long serving() {
        return made.stream().filter(Fake::isServing).count();
    }
}
