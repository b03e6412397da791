// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.zds;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.posix.NetworkNamespace;
import io.fathom.base.posix.PosixException;
import io.fathom.wire.zds.PodInfo;
import io.fathom.wire.zds.ZdsConnection;
import io.fathom.wire.zds.ZdsGreeting;
import io.fathom.wire.zds.ZdsListener;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Where node proxies connect. Each gets all pods, then changes: new pods go to the newest proxy, since an older one is
/// about to be replaced, and the end of a pod to all. If the newest leaves, the one before takes its place.
///
/// Only root may connect: whoever holds a pod's namespace can act in the pod's name. [#add] and [#delete] block and are
/// for any thread.
public final class ProxyServer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ProxyServer.class);
    private static final int ROOT = 0;

    private final ZdsListener listener;
    private final ProxyServerConfig config;
    /// The newest is the last.
    private final CopyOnWriteArrayList<ProxyLink> links = new CopyOnWriteArrayList<>();

    private final KeptListeners kept = new KeptListeners();

    private volatile boolean closed;
    private final AtomicInteger arrivals = new AtomicInteger();

    private ProxyServer(ZdsListener listener, ProxyServerConfig config) {
        this.listener = listener;
        this.config = config;
    }

    /// Proxies can connect from now on, but wait until [#serve].
    public static ProxyServer bind(Path socket, ProxyServerConfig config) throws ProblemException {
        return new ProxyServer(ZdsListener.bind(socket), config);
    }

    /// Begins to take proxies.
    ///
    /// @param pods all pods that a proxy has to know; asked for each proxy, on its thread
    /// @param live told when a proxy knows all pods, on its thread
    public void serve(Supplier<List<KnownPod>> pods, Runnable live) {
        Thread.ofPlatform().daemon().name("zds-accept").start(() -> acceptAll(pods, live));
    }

    private void acceptAll(Supplier<List<KnownPod>> pods, Runnable live) {
        while (!closed) {
            try {
                var connection = listener.accept();
                if (connection.isEmpty()) {
                    return;
                }
                welcome(connection.get(), pods, live);
            } catch (ProblemException e) {
                log.atWarn().log("a node proxy could not be taken: {}", e.problem());
            }
            LockSupport.parkNanos(config.betweenAccepts().toNanos());
        }
    }

    private void welcome(ZdsConnection connection, Supplier<List<KnownPod>> pods, Runnable live) {
        var peer = connection.peer();
        if (peer.uid() != ROOT) {
            log.atWarn()
                    .addKeyValue("uid", peer.uid())
                    .addKeyValue("pid", peer.pid())
                    .log("refused: only root may be handed the namespaces of pods");
            connection.close();
            return;
        }
        var number = arrivals.incrementAndGet();
        var link = new ProxyLink(number, peer.pid(), connection, pods, kept, config.idle());
        links.add(link); // before it greets, so that nothing that happens meanwhile passes it by
        if (closed) {
            link.close();
        }
        Thread.ofPlatform().daemon().name("zds-proxy-" + number).start(() -> link.run(live, () -> left(link)));
    }

    private void left(ProxyLink link) {
        links.remove(link);
        if (link.listenerUse() == ZdsGreeting.ListenerUse.OWN) {
            kept.strangerLeft();
        }
        links.reversed().stream()
                .filter(ProxyLink::isOpen)
                .findFirst()
                .filter(ProxyLink::lacksListeners)
                .ifPresent(ProxyLink::close); // it dials again, and brings them
        if (links.isEmpty() && !closed) {
            var _ = Thread.ofPlatform().daemon().name("zds-kept-listeners").start(this::awaitProxy);
        }
    }

    /// Clients wait for the next proxy, but not forever.
    private void awaitProxy() {
        var before = arrivals.get();
        LockSupport.parkNanos(config.keeping().toNanos());
        if (links.isEmpty() && arrivals.get() == before) {
            kept.clear();
        }
    }

    /// Has the newest proxy serve the pod, and waits for its answer; empty if it does now.
    public Optional<Problem> add(PodInfo pod, NetworkNamespace namespace) {
        var newest = links.reversed().stream().filter(ProxyLink::isOpen).findFirst();
        if (newest.isEmpty()) {
            return Optional.of(problem(
                    "zds-no-proxy",
                    "no node proxy is connected",
                    "start ztunnel on this node; look at its log if it runs already"));
        }
        try {
            return switch (await(newest.get().add(pod, namespace))) {
                case ProxyLink.ProxyResponse.Accepted _ -> Optional.empty();
                case ProxyLink.ProxyResponse.Refused(var reason) ->
                    Optional.of(problem(
                            "zds-refused", "the node proxy refuses the pod: " + reason, "see the log of ztunnel"));
                case ProxyLink.ProxyResponse.Lost(var reason) ->
                    Optional.of(problem("zds-connection-lost", reason, "it is tried again by itself"));
            };
        } catch (PosixException e) {
            return Optional.of(e.problem("zds-no-namespace"));
        }
    }

    /// Has all proxies forget the pod. One that does not answer is cut off, and hears all pods again when it returns.
    public void delete(String uid) {
        var answers = links.stream().map(link -> link.delete(uid)).toList();
        for (var answer : answers) {
            if (await(answer) instanceof ProxyLink.ProxyResponse.Refused(var reason)) {
                log.atWarn()
                        .addKeyValue("uid", uid)
                        .addKeyValue("reason", reason)
                        .log("node proxy refuses to let go");
            }
        }
        kept.forget(uid);
    }

    private ProxyLink.ProxyResponse await(CompletableFuture<ProxyLink.ProxyResponse> answer) {
        try {
            return answer.get(config.patience().toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return new ProxyLink.ProxyResponse.Lost("the node proxy is still busy with other pods");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new ProxyLink.ProxyResponse.Lost("interrupted");
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /// The connected ones, the newest last.
    public List<ProxyView> proxies() {
        return links.stream().filter(ProxyLink::isOpen).map(ProxyLink::view).toList();
    }

    private static Problem problem(String code, String message, String fix) {
        return new Problem(code, message, fix, Problem.Origin.SERVER, Problem.Retry.SENSIBLE);
    }

    @Override
    public void close() {
        closed = true;
        listener.close();
        links.forEach(ProxyLink::close);
        kept.clear();
    }
}
