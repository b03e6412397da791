// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.inpod;

import io.fathom.base.posix.NetworkNamespace;
import io.fathom.base.testkit.TestNamespace;
import io.fathom.wire.zds.PodInfo;
import io.fathom.wire.zds.ZdsConnection;
import io.fathom.wire.zds.ZdsListener;
import io.fathom.wire.zds.ZdsRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// A CNI agent that says what a test wants.
final class FakeAgent implements AutoCloseable {
    private final ZdsListener listener;
    private final BlockingQueue<ZdsConnection> waiting = new LinkedBlockingQueue<>();
    private volatile boolean closed;

    FakeAgent(Path path) {
        this.listener = ZdsListener.bind(path);
        var _ = Thread.ofPlatform().daemon().start(() -> {
            for (var next = listener.accept(); next.isPresent(); next = listener.accept()) {
                waiting.add(next.get());
                if (closed) { // it came just as we left
                    waiting.forEach(ZdsConnection::close);
                }
            }
        });
    }

    /// The next proxy that dials, greeted.
    ZdsConnection proxy() throws InterruptedException {
        var connection = dialled();
        if (connection.greeting().version() != 1) {
            throw new AssertionError("another version");
        }
        return connection;
    }

    ZdsConnection dialled() throws InterruptedException {
        var connection = waiting.poll(20, TimeUnit.SECONDS);
        if (connection == null) {
            throw new AssertionError("nobody dialled");
        }
        return connection;
    }

    static Optional<String> add(ZdsConnection proxy, String uid, TestNamespace pod) throws IOException {
        try (var namespace = NetworkNamespace.open(pod.path())) {
            return proxy.send(new ZdsRequest.Add(info(uid), namespace.descriptor()));
        }
    }

    static PodInfo info(String uid) {
        return new PodInfo(uid, "web-" + uid, "shop", "web");
    }

    @Override
    public void close() {
        closed = true;
        listener.close();
        waiting.forEach(ZdsConnection::close);
    }
}
