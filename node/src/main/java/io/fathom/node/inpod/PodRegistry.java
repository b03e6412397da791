// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.inpod;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.lang.Timeline;
import io.fathom.base.posix.NetworkNamespace;
import io.fathom.base.posix.PosixException;
import io.fathom.node.socket.NamespaceSockets;
import io.fathom.node.socket.PodSockets;
import io.fathom.wire.zds.PodInfo;
import io.fathom.wire.zds.PodListener;
import io.fathom.wire.zds.ZdsRequest;
import io.netty.channel.ChannelException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The pods that are served. A pod is served by one proxy at most, from its Add until its Delete or until a snapshot
/// lacks it; while the agent is away all go on. A proxy that cannot start is tried again every [#RETRY].
///
/// For any thread, one at a time: proxies are started and closed under its lock.
public final class PodRegistry implements AutoCloseable {
    static final Duration RETRY = Duration.ofSeconds(5);
    private static final Logger log = LoggerFactory.getLogger(PodRegistry.class);

    private final PodSockets sockets;
    private final PodProxyFactory factory;
    private final Timeline timeline;
    private final PodObserver observer;

    private final Map<String, Running> running = new LinkedHashMap<>();
    private final Map<String, Waiting> pending = new LinkedHashMap<>();
    /// Pods named since the agent connected; of use until the snapshot is complete.
    private final Set<String> named = new HashSet<>();

    private Phase phase = Phase.AWAY;
    private boolean retryPlanned;
    private PodObserver.PodReadiness told = PodObserver.PodReadiness.NOT_READY;

    /// How much the agent has said.
    private enum Phase {
        AWAY,
        SNAPSHOT,
        COMPLETE,
        CLOSED
    }

    private record Running(PodInfo pod, NamespaceSockets sockets, PodProxy proxy) {}

    private record Waiting(PodInfo pod, NetworkNamespace namespace, Problem problem) {}

    public PodRegistry(PodSockets sockets, PodProxyFactory factory, Timeline timeline, PodObserver observer) {
        this.sockets = sockets;
        this.factory = factory;
        this.timeline = timeline;
        this.observer = observer;
    }

    /// The agent is there and will name all pods anew.
    public synchronized void connected() {
        if (phase != Phase.CLOSED) {
            phase = Phase.SNAPSHOT;
            named.clear();
            List.copyOf(pending.keySet()).forEach(this::forgetPending);
            tell();
        }
    }

    /// The agent is gone. Everything goes on.
    public synchronized void disconnected() {
        if (phase != Phase.CLOSED) {
            phase = Phase.AWAY;
            tell();
        }
    }

    /// Does what the agent asks. Takes the descriptor of an Add over.
    ///
    /// @return what prevents it for now
    /// @throws ProblemException if the agent may not ask for that now: nothing it says can be relied on any more
    public synchronized Optional<Problem> handle(ZdsRequest request) throws ProblemException {
        if (phase == Phase.CLOSED) {
            if (request instanceof ZdsRequest.Add add) {
                add.close();
            }
            return Optional.of(stopping());
        }
        try {
            return switch (request) {
                case ZdsRequest.Add add -> add(add);
                case ZdsRequest.Keep keep -> keep(keep.uid());
                case ZdsRequest.Delete delete -> delete(delete.uid());
                case ZdsRequest.SnapshotSent ignored -> snapshotSent();
            };
        } finally {
            tell();
        }
    }

    private Optional<Problem> add(ZdsRequest.Add add) {
        var uid = add.pod().uid();
        NetworkNamespace namespace;
        try {
            namespace = NetworkNamespace.of(add.namespace());
        } catch (PosixException e) {
            add.close();
            return Optional.of(e.problem("inpod-no-namespace"));
        }
        var _ = named.add(uid);
        forgetPending(uid);
        var old = running.get(uid);
        if (old != null) {
            if (old.sockets().namespace().identity().equals(namespace.identity())) {
                namespace.close();
                add.listeners().forEach(PodListener::close); // they are its own
                return Optional.empty();
            }
            log.atInfo().addKeyValue("pod", text(add.pod())).log("pod has another network namespace");
            stop(uid);
        }
        return start(add.pod(), namespace, add.listeners());
    }

    /// What listens in the pod, for the agent to keep; nothing if it is not served. They belong to the caller.
    public synchronized List<PodListener> listeners(String uid) {
        var served = running.get(uid);
        return served == null || phase == Phase.CLOSED
                ? List.of()
                : served.sockets().listeners();
    }

    private Optional<Problem> keep(String uid) {
        if (phase != Phase.SNAPSHOT) {
            throw violation("Keep of " + uid + " after the snapshot");
        }
        var _ = named.add(uid);
        return Optional.empty();
    }

    private Optional<Problem> delete(String uid) {
        var _ = named.remove(uid);
        forgetPending(uid);
        if (phase == Phase.COMPLETE) {
            stop(uid);
        } // else the end of the snapshot does it
        return Optional.empty();
    }

    private Optional<Problem> snapshotSent() {
        if (phase != Phase.SNAPSHOT) {
            throw violation("a second SnapshotSent");
        }
        phase = Phase.COMPLETE;
        running.keySet().stream().filter(uid -> !named.contains(uid)).toList().forEach(this::stop);
        named.clear();
        return Optional.empty();
    }

    /// Takes the namespace over, and what listens in it already.
    private Optional<Problem> start(PodInfo pod, NetworkNamespace namespace, List<PodListener> listeners) {
        try {
            var inside = sockets.in(namespace.duplicate());
            inside.take(listeners);
            try {
                running.put(pod.uid(), new Running(pod, inside, factory.start(pod, inside)));
                inside.closeUnused();
            } catch (RuntimeException e) {
                inside.close();
                throw e;
            }
            namespace.close();
            observer.proxyStarted();
            log.atInfo().addKeyValue("pod", text(pod)).log("serving pod");
            return Optional.empty();
        } catch (PosixException e) {
            listeners.forEach(PodListener::close);
            return postpone(pod, namespace, e.problem("inpod-no-namespace"));
        } catch (ProblemException e) {
            return postpone(pod, namespace, e.problem());
        } catch (ChannelException e) {
            return postpone(pod, namespace, noSocket(String.valueOf(e.getMessage())));
        } catch (RuntimeException e) {
            log.atError().setCause(e).addKeyValue("pod", text(pod)).log("starting a pod's proxy has a bug");
            return postpone(pod, namespace, bug(e));
        }
    }

    private Optional<Problem> postpone(PodInfo pod, NetworkNamespace namespace, Problem problem) {
        log.atWarn()
                .addKeyValue("pod", text(pod))
                .addKeyValue("problem", problem.code())
                .log("cannot serve pod yet: {}", problem);
        pending.put(pod.uid(), new Waiting(pod, namespace, problem));
        planRetry();
        return Optional.of(problem);
    }

    private void planRetry() {
        if (!retryPlanned && !pending.isEmpty()) {
            retryPlanned = true;
            var _ = timeline.at(timeline.instant().plus(RETRY), this::retry);
        }
    }

    private synchronized void retry() {
        retryPlanned = false;
        var again = List.copyOf(pending.values());
        pending.clear();
        for (var waiting : again) {
            var _ = start(waiting.pod(), waiting.namespace(), List.of());
        }
        tell();
    }

    private void forgetPending(String uid) {
        var waiting = pending.remove(uid);
        if (waiting != null) {
            waiting.namespace().close();
        }
    }

    private void stop(String uid) {
        var served = running.remove(uid);
        if (served != null) {
            try {
                served.proxy().close();
            } catch (RuntimeException e) {
                log.atError().setCause(e).addKeyValue("pod", text(served.pod())).log("closing a proxy has a bug");
            }
            served.sockets().close();
            observer.proxyStopped();
            log.atInfo().addKeyValue("pod", text(served.pod())).log("no longer serving pod");
        }
    }

    private void tell() {
        observer.counted(running.size(), pending.size());
        var now = phase == Phase.COMPLETE && pending.isEmpty()
                ? PodObserver.PodReadiness.READY
                : PodObserver.PodReadiness.NOT_READY;
        if (now != told) {
            told = now;
            observer.ready(now);
        }
    }

    /// What keeps the node from being ready, for people; empty when it is ready.
    public synchronized Optional<String> obstacle() {
        return switch (phase) {
            case AWAY -> Optional.of("the CNI agent is not connected");
            case SNAPSHOT -> Optional.of("the CNI agent has not named all pods yet");
            case CLOSED -> Optional.of("stopping");
            case COMPLETE ->
                pending.values().stream()
                        .findFirst()
                        .map(first -> "pod " + text(first.pod()) + ": " + first.problem()
                                + (pending.size() > 1 ? "; and " + (pending.size() - 1) + " more" : ""));
        };
    }

    public synchronized List<PodStatus> pods() {
        var pods = new ArrayList<PodStatus>();
        running.values().forEach(served -> pods.add(new PodStatus.Up(served.pod(), served.proxy())));
        pending.values().forEach(waiting -> pods.add(new PodStatus.Pending(waiting.pod(), waiting.problem())));
        return List.copyOf(pods);
    }

    /// All pods take no more connections. Done when the last connection has ended; [#close] cuts those that do not.
    public synchronized CompletableFuture<Void> drain() {
        phase = Phase.CLOSED;
        List.copyOf(pending.keySet()).forEach(this::forgetPending);
        tell();
        return CompletableFuture.allOf(
                running.values().stream().map(served -> served.proxy().drain()).toArray(CompletableFuture[]::new));
    }

    @Override
    public synchronized void close() {
        phase = Phase.CLOSED;
        List.copyOf(pending.keySet()).forEach(this::forgetPending);
        List.copyOf(running.keySet()).forEach(this::stop);
        tell();
    }

    private static String text(PodInfo pod) {
        return pod.namespace() + "/" + pod.name();
    }

    private static ProblemException violation(String what) {
        return new ProblemException(new Problem(
                "zds-protocol-violated",
                "the CNI agent sent " + what,
                "check that the CNI agent and the node proxy are of versions that go together",
                Problem.Origin.SERVER,
                Problem.Retry.SENSIBLE));
    }

    private static Problem stopping() {
        return new Problem(
                "inpod-stopping",
                "this node proxy is stopping",
                "the next one will serve the pod",
                Problem.Origin.SERVER,
                Problem.Retry.SENSIBLE);
    }

    private static Problem bug(RuntimeException e) {
        return new Problem(
                "inpod-start-bug",
                "the proxy cannot start: " + e,
                "report it with the log of the node proxy",
                Problem.Origin.SERVER,
                Problem.Retry.SENSIBLE);
    }

    private static Problem noSocket(String message) {
        return new Problem(
                "inpod-no-socket",
                message,
                "check the limit of open files and the capabilities of the node proxy",
                Problem.Origin.SERVER,
                Problem.Retry.SENSIBLE);
    }
}
