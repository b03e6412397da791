// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy;

import io.fathom.model.mesh.Workload;
import io.fathom.model.routing.MeshView;
import io.fathom.wire.zds.PodInfo;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The pod that a set of listeners serves, and what the control plane knows of it. A pod may send traffic before the
/// control plane has told of it: whoever asks then waits for a while. Safe on any thread.
public final class LocalPod implements AutoCloseable {
    private final PodInfo info;
    private final MeshSource mesh;
    private final Duration patience;
    private final ConcurrentLinkedQueue<Waiter> waiters = new ConcurrentLinkedQueue<>();
    private final MeshSource.Subscription subscription;
    private volatile @Nullable Known known;

    private record Known(MeshView view, Workload workload, Optional<String> baggage) {}

    /// Waits up to `patience` for a pod that is not known.
    public LocalPod(PodInfo info, MeshSource mesh, Duration patience) {
        this.info = info;
        this.mesh = mesh;
        this.patience = patience;
        this.subscription = mesh.onChange(this::changed);
    }

    public PodInfo info() {
        return info;
    }

    /// As operators write it.
    public String name() {
        return info.namespace() + "/" + info.name();
    }

    public MeshSource mesh() {
        return mesh;
    }

    /// What is known in a view.
    public Optional<Workload> in(MeshView view) {
        return Optional.ofNullable(known(view)).map(Known::workload);
    }

    /// What peers are told about the pod.
    public Optional<String> baggage(MeshView view) {
        var current = known(view);
        return current == null ? Optional.empty() : current.baggage;
    }

    /// A workload is made anew on each lookup, so it is kept as long as the view is the same.
    private @Nullable Known known(MeshView view) {
        var last = known;
        if (last != null && last.view == view) {
            return last;
        }
        var found = view.localWorkload(info.namespace(), info.name(), info.serviceAccount());
        if (found.isEmpty()) {
            return null;
        }
        var text = Baggage.of(found.get()).text();
        var fresh = new Known(view, found.get(), text.isEmpty() ? Optional.empty() : Optional.of(text));
        known = fresh;
        return fresh;
    }

    /// Goes on once the pod is known or patience ends: at once if it is known, else later, on `loop`.
    public void await(EventLoop loop, Consumer<Optional<Workload>> then) {
        var now = in(mesh.view());
        if (now.isPresent()) {
            then.accept(now);
            return;
        }
        var waiter = new Waiter(loop, new AtomicReference<>(then));
        waiters.add(waiter);
        changed(mesh.view()); // it may have come just now
        var _ = loop.schedule(
                () -> {
                    waiters.remove(waiter);
                    waiter.go(Optional.empty());
                },
                patience.toNanos(),
                TimeUnit.NANOSECONDS);
    }

    private void changed(MeshView view) {
        if (waiters.isEmpty()) {
            return;
        }
        var found = in(view);
        if (found.isPresent()) {
            for (var waiter = waiters.poll(); waiter != null; waiter = waiters.poll()) {
                waiter.go(found);
            }
        }
    }

    private record Waiter(EventLoop loop, AtomicReference<@Nullable Consumer<Optional<Workload>>> then) {
        void go(Optional<Workload> found) {
            var task = then.getAndSet(null);
            if (task != null) {
                loop.execute(() -> task.accept(found));
            }
        }
    }

    @Override
    public void close() {
        subscription.close();
    }
}
