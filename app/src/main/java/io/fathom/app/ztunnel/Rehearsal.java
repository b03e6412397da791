// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.ztunnel;

import static io.fathom.app.RehearsalCalls.await;
import static io.fathom.app.RehearsalCalls.post;
import static io.fathom.app.RehearsalCalls.read;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Optional;

/// Has a node proxy do once what it does in its first half minute, so that the JVM can keep what it learnt in an AOT
/// cache: agent, clients and servers of two pods. Run by `bin/lib/rehearse` beside the proxy, with the socket for the
/// agent and paths of the pods' network namespaces; without these there is no traffic. Stops the proxy at the end.
final class Rehearsal {
    private static final int CONNECTIONS = 3_000;
    private static final int REQUESTS = 30_000;
    private static final int MEBIBYTES = 384;
    private static final int SOME = 400;
    private static final int CLOSED = 8100;
    private static final int FORBIDDEN = 8200;

    private Rehearsal() {}

    public static void main(String[] args) throws IOException {
        // The agent stays to the end: a proxy that loses its own tries for it, and learns nothing by that.
        var pods = args.length == 0
                ? Optional.<RehearsalPods>empty()
                : Optional.of(RehearsalPods.start(Path.of(args[0]), Path.of(args[1]), Path.of(args[2])));
        try {
            await(() -> answers("/healthz/ready"));
            await(() -> read(15000, "/config_dump").contains("\"Available\""));
            if (pods.isPresent()) {
                carry(new RehearsalTraffic(pods.get()));
            }
            read(15020, "/metrics");
        } finally {
            await(Rehearsal::isTold);
            await(() -> !answers("/healthz/ready"));
        }
        System.exit(0);
    }

    private static boolean answers(String path) {
        try {
            return read(15021, path).startsWith("HTTP/1.1 200");
        } catch (UncheckedIOException notYet) {
            return false;
        }
    }

    private static void carry(RehearsalTraffic traffic) throws IOException {
        var _ = Thread.ofVirtual().start(traffic::linger);
        traffic.connections(SOME);
        traffic.questions("cart.shop.svc.cluster.local", SOME);
        traffic.questions("nobody.shop.svc.cluster.local", SOME);
        traffic.refused(FORBIDDEN, SOME);
        traffic.refused(CLOSED, SOME);
        traffic.fromOutside(SOME);
        traffic.connections(CONNECTIONS);
        traffic.requests(REQUESTS);
        traffic.download(MEBIBYTES);
        traffic.upload(MEBIBYTES);
    }

    /// Also a proxy that is still starting.
    private static boolean isTold() {
        try {
            post(15000, "/quitquitquit");
            return true;
        } catch (UncheckedIOException notYet) {
            return false;
        }
    }
}
