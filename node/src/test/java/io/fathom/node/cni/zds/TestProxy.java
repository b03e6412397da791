// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.zds;

import io.fathom.base.lang.ProblemException;
import io.fathom.wire.zds.ZdsClient;
import io.fathom.wire.zds.ZdsRequest;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/// A node proxy that writes down what it is asked, and answers as a test likes.
final class TestProxy implements AutoCloseable {
    private final ZdsClient client;
    final List<String> heard = new CopyOnWriteArrayList<>();

    /// Answers nothing at all.
    static final Function<String, Optional<String>> SILENT = _ -> {
        throw new IllegalStateException("silent");
    };

    private TestProxy(ZdsClient client) {
        this.client = client;
    }

    static TestProxy connect(Path socket) {
        return connect(socket, _ -> Optional.empty());
    }

    /// @param answers why it refuses, or empty, for each request as text
    static TestProxy connect(Path socket, Function<String, Optional<String>> answers) {
        var proxy = new TestProxy(ZdsClient.connect(socket));
        Thread.ofPlatform().daemon().start(() -> proxy.run(answers));
        return proxy;
    }

    private void run(Function<String, Optional<String>> answers) {
        try {
            for (var next = client.next(); next.isPresent(); next = client.next()) {
                var text = text(next.get());
                heard.add(text);
                answers.apply(text).ifPresentOrElse(client::refuse, client::accept);
            }
        } catch (ProblemException | IllegalStateException e) {
            heard.add("end");
        }
    }

    private static String text(ZdsRequest request) {
        return switch (request) {
            case ZdsRequest.Add add -> {
                add.namespace().close();
                yield "add " + add.pod().uid();
            }
            case ZdsRequest.Keep keep -> "keep " + keep.uid();
            case ZdsRequest.Delete delete -> "delete " + delete.uid();
            case ZdsRequest.SnapshotSent _ -> "snapshot";
        };
    }

    @Override
    public void close() {
        client.close();
    }
}
