// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.state;

import io.fathom.base.lang.Timeline;
import io.fathom.model.mesh.Workload;
import io.fathom.model.routing.MeshView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/// Those who wait for a workload of this node: the pod may be there before the control plane tells of it. The list
/// is touched only on the thread that writes; it is as long as there are connections of pods that are not known
/// yet.
final class LocalArrivals {
    /// What a pod says about itself.
    record Wanted(String namespace, String name, String serviceAccount) {
        Optional<Workload> in(MeshView view) {
            return view.localWorkload(namespace, name, serviceAccount);
        }
    }

    private record Waiter(Wanted wanted, CompletableFuture<Optional<Workload>> answer) {}

    private final Supplier<MeshView> view;
    private final Timeline timeline;
    private final Executor writer;
    private final List<Waiter> waiters = new ArrayList<>();

    LocalArrivals(Supplier<MeshView> view, Timeline timeline, Executor writer) {
        this.view = view;
        this.timeline = timeline;
        this.writer = writer;
    }

    CompletableFuture<Optional<Workload>> await(Wanted wanted, Duration timeout) {
        var there = wanted.in(view.get());
        if (there.isPresent()) {
            return CompletableFuture.completedFuture(there);
        }
        var waiter = new Waiter(wanted, new CompletableFuture<>());
        var limit = timeline.at(timeline.instant().plus(timeout), () -> {
            waiter.answer().complete(Optional.empty());
            writer.execute(() -> waiters.remove(waiter));
        });
        var _ = waiter.answer().whenComplete((_, _) -> limit.close());
        writer.execute(() -> {
            waiters.add(waiter);
            look(); // it may have come meanwhile
        });
        return waiter.answer();
    }

    /// On the thread that writes, after each change.
    void look() {
        waiters.removeIf(waiter -> {
            var there = waiter.wanted().in(view.get());
            there.ifPresent(_ -> waiter.answer().complete(there));
            return waiter.answer().isDone();
        });
    }
}
