// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.zds;

import io.fathom.base.lang.ProblemException;
import io.fathom.base.posix.FileIdentity;
import io.fathom.base.posix.NetworkNamespace;
import io.fathom.base.posix.PosixException;
import io.fathom.wire.zds.PodInfo;
import io.fathom.wire.zds.PodListener;
import io.fathom.wire.zds.ZdsConnection;
import io.fathom.wire.zds.ZdsGreeting;
import io.fathom.wire.zds.ZdsRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One connected proxy. A thread of its own talks to it: greeting, all pods, then one request after the other, each
/// with its answer. Requests may be given from any thread and at any time: they wait behind the snapshot. Once it is
/// over every request that waits is answered, in vain.
final class ProxyLink implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ProxyLink.class);
    private static final int MOST_WAITING = 100;
    private static final String LEFT = "the node proxy has left";

    private final int number;
    private final int pid;
    private final ZdsConnection connection;
    private final Supplier<List<KnownPod>> pods;
    private final KeptListeners kept;
    private final Duration idle;
    /// Bounded: a proxy that lets so many requests wait is given up.
    private final LinkedBlockingQueue<Request> waiting = new LinkedBlockingQueue<>(MOST_WAITING);

    private final Map<String, PodAnswer> answers = new ConcurrentHashMap<>();
    private volatile ProxyView.ProxyPhase phase = ProxyView.ProxyPhase.CONNECTED;
    private volatile ZdsGreeting.ListenerUse listenerUse = ZdsGreeting.ListenerUse.HANDED_OVER;
    private volatile int era;
    private volatile boolean closed;

    /// What became of a request.
    sealed interface ProxyResponse {
        record Accepted() implements ProxyResponse {}

        record Refused(String reason) implements ProxyResponse {}

        /// The proxy is gone, so nobody knows.
        record Lost(String reason) implements ProxyResponse {}
    }

    private record Request(ZdsRequest message, CompletableFuture<ProxyResponse> outcome) {
        void end(ProxyResponse end) {
            if (message instanceof ZdsRequest.Add add) {
                add.namespace().close();
            }
            outcome.complete(end);
        }
    }

    ProxyLink(
            int number,
            int pid,
            ZdsConnection connection,
            Supplier<List<KnownPod>> pods,
            KeptListeners kept,
            Duration idle) {
        this.number = number;
        this.pid = pid;
        this.connection = connection;
        this.pods = pods;
        this.kept = kept;
        this.idle = idle;
    }

    ProxyView view() {
        return new ProxyView(number, pid, phase, answers);
    }

    /// Until the proxy leaves.
    ///
    /// @param live called once it knows all pods
    /// @param ended called before those who still wait are told
    void run(Runnable live, Runnable ended) {
        try {
            var greeting = connection.greeting();
            log.atInfo()
                    .addKeyValue("proxy", number)
                    .addKeyValue("pid", pid)
                    .addKeyValue("version", greeting.version())
                    .log("node proxy connected");
            if (greeting.listeners() == ZdsGreeting.ListenerUse.OWN) {
                listenerUse = ZdsGreeting.ListenerUse.OWN;
                kept.strangerCame();
            }
            phase = ProxyView.ProxyPhase.SNAPSHOT;
            snapshot();
            phase = ProxyView.ProxyPhase.LIVE;
            live.run();
            serve();
        } catch (ProblemException e) {
            log.atWarn().addKeyValue("proxy", number).log("node proxy given up: {}", e.problem());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            connection.close();
            ended.run();
            close();
            log.atInfo().addKeyValue("proxy", number).log("node proxy disconnected");
        }
    }

    private void snapshot() {
        era = kept.areWanted() ? kept.era() : -1;
        var all = pods.get();
        kept.retain(all.stream().map(known -> known.pod().uid()).collect(Collectors.toSet()));
        for (var known : all) {
            var uid = known.pod().uid();
            switch (copy(known)) {
                case Copy.Open(var namespace) -> {
                    try (namespace) {
                        note(uid, handOver(new ZdsRequest.Add(known.pod(), namespace.descriptor())));
                    }
                }
                case Copy.Unknown _ ->
                    connection
                            .send(new ZdsRequest.Keep(uid))
                            .ifPresentOrElse(reason -> refused(uid, reason), () -> answers.put(uid, PodAnswer.KEPT));
                case Copy.Gone _ -> {} // released while we were busy with others: it is told next
            }
        }
        connection
                .send(new ZdsRequest.SnapshotSent())
                .ifPresent(reason -> log.atWarn()
                        .addKeyValue("proxy", number)
                        .addKeyValue("reason", reason)
                        .log("node proxy refuses the snapshot"));
        log.atInfo()
                .addKeyValue("proxy", number)
                .addKeyValue("pods", all.size())
                .log("node proxy knows all pods");
    }

    /// A handle of our own, since the owner may close his any time.
    private sealed interface Copy {
        record Open(NetworkNamespace namespace) implements Copy {}

        record Unknown() implements Copy {}

        record Gone() implements Copy {}
    }

    private static Copy copy(KnownPod known) {
        if (known.namespace().isEmpty()) {
            return new Copy.Unknown();
        }
        try {
            return new Copy.Open(known.namespace().get().duplicate());
        } catch (PosixException e) {
            return new Copy.Gone();
        }
    }

    private void serve() throws InterruptedException {
        while (!closed) {
            var request = waiting.poll(idle.toMillis(), TimeUnit.MILLISECONDS);
            if (request != null) {
                handle(request);
            } else if (!connection.isAlive()) {
                return;
            }
        }
    }

    private void handle(Request request) {
        ProxyResponse outcome = new ProxyResponse.Lost(LEFT);
        try {
            var refusal = request.message() instanceof ZdsRequest.Add add
                    ? handOver(add)
                    : connection.send(request.message());
            switch (request.message()) {
                case ZdsRequest.Add add -> note(add.pod().uid(), refusal);
                case ZdsRequest.Delete delete -> {
                    answers.remove(delete.uid());
                    kept.forget(delete.uid());
                }
                case ZdsRequest.Keep _, ZdsRequest.SnapshotSent _ -> {}
            }
            outcome = refusal.<ProxyResponse>map(ProxyResponse.Refused::new).orElseGet(ProxyResponse.Accepted::new);
        } catch (ProblemException e) {
            outcome = new ProxyResponse.Lost(e.problem().message());
            throw e;
        } finally {
            if (outcome instanceof ProxyResponse.Lost) {
                closed = true; // before the one who waits tries again
            }
            request.end(outcome);
        }
    }

    /// With what listens in the pod already; keeps what does afterwards.
    private Optional<String> handOver(ZdsRequest.Add add) {
        if (listenerUse == ZdsGreeting.ListenerUse.OWN || !kept.areWanted()) {
            return connection.send(add);
        }
        FileIdentity namespace;
        try {
            namespace = add.namespace().identity();
        } catch (PosixException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
        var uid = add.pod().uid();
        var listeners = kept.copies(uid, namespace);
        try {
            var answer = connection.exchange(
                    new ZdsRequest.Add(add.pod(), add.namespace(), ZdsRequest.Keeping.YES, listeners));
            kept.replace(uid, namespace, answer.listeners());
            return answer.refusal();
        } finally {
            listeners.forEach(PodListener::close);
        }
    }

    private void note(String uid, Optional<String> refusal) {
        refusal.ifPresentOrElse(reason -> refused(uid, reason), () -> answers.put(uid, PodAnswer.SERVED));
    }

    private void refused(String uid, String reason) {
        answers.put(uid, PodAnswer.refused(reason));
        log.atWarn()
                .addKeyValue("proxy", number)
                .addKeyValue("uid", uid)
                .addKeyValue("reason", reason)
                .log("node proxy refuses a pod");
    }

    CompletableFuture<ProxyResponse> add(PodInfo pod, NetworkNamespace namespace) throws PosixException {
        return submit(new ZdsRequest.Add(pod, namespace.descriptor().duplicate()));
    }

    CompletableFuture<ProxyResponse> delete(String uid) {
        return submit(new ZdsRequest.Delete(uid));
    }

    private CompletableFuture<ProxyResponse> submit(ZdsRequest message) {
        var request = new Request(message, new CompletableFuture<>());
        if (closed) {
            request.end(new ProxyResponse.Lost(LEFT));
        } else if (!waiting.offer(request)) {
            request.end(new ProxyResponse.Lost("the node proxy lets " + MOST_WAITING + " requests wait"));
            close();
        } else if (closed) {
            release();
        }
        return request.outcome();
    }

    ZdsGreeting.ListenerUse listenerUse() {
        return listenerUse;
    }

    /// Whether the agent should have its listeners and has not.
    boolean lacksListeners() {
        return listenerUse == ZdsGreeting.ListenerUse.HANDED_OVER
                && phase == ProxyView.ProxyPhase.LIVE
                && kept.areWanted()
                && era != kept.era();
    }

    boolean isOpen() {
        return !closed;
    }

    @Override
    public void close() {
        closed = true;
        connection.close();
        release();
    }

    private void release() {
        for (var request = waiting.poll(); request != null; request = waiting.poll()) {
            request.end(new ProxyResponse.Lost(LEFT));
        }
    }
}
