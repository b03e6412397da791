// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.store;

import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.api.KubeQuery;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.api.ObjectWatch;
import io.fathom.wire.kube.tree.Json;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/// Records as custom resources of one kind in a namespace, and what is known of them without asking. What is known
/// never goes back to an older version. Whoever changes one names the version it was made of: of two, the second one
/// gets the problem `kube-conflict`. Any thread.
public final class RecordTable implements AutoCloseable {
    private final KubeClient client;
    private final KubeResource resource;
    private final String kind;
    private final String namespace;
    private final Map<String, RecordObject> known = new ConcurrentHashMap<>();
    private final List<Consumer<String>> listeners = new CopyOnWriteArrayList<>();
    private final ObjectWatch watch;

    /// Reads all, then follows them.
    ///
    /// @throws ProblemException when they cannot be read
    public RecordTable(KubeClient client, KubeResource resource, String kind, String namespace) {
        this.client = client;
        this.resource = resource;
        this.kind = kind;
        this.namespace = namespace;
        refresh();
        this.watch = client.watch(query(), this::take);
    }

    private KubeQuery query() {
        return KubeQuery.all(resource).inNamespace(namespace);
    }

    private void take(List<ObjectWatch.Change> changes) {
        for (var change : changes) {
            switch (change) {
                case ObjectWatch.Change.Put put -> {
                    if (learn(put.object())) {
                        listeners.forEach(
                                listener -> listener.accept(put.object().name()));
                    }
                }
                case ObjectWatch.Change.Remove remove -> known.remove(remove.name());
            }
        }
    }

    private boolean learn(KubeObject object) {
        var next = RecordObject.of(object);
        return next.equals(known.merge(next.name(), next, (before, _) -> next.isNewerThan(before) ? next : before));
    }

    /// Tells the names of records that are new or different.
    public void follow(Consumer<String> listener) {
        listeners.add(listener);
    }

    /// Reads all as of now.
    public void refresh() {
        client.list(query()).items().forEach(this::learn);
    }

    public Collection<RecordObject> known() {
        return List.copyOf(known.values());
    }

    public Optional<RecordObject> known(String name) {
        return Optional.ofNullable(known.get(name));
    }

    /// One as it is at this moment.
    public Optional<RecordObject> read(String name) {
        var found = client.get(resource, namespace, name);
        found.ifPresentOrElse(this::learn, () -> known.remove(name));
        return found.map(RecordObject::of);
    }

    /// Makes one that is not there yet.
    public void create(String name, FileRecord record) {
        learn(client.create(
                resource,
                namespace,
                Json.of(Map.of(
                        "apiVersion",
                        resource.apiVersion(),
                        "kind",
                        kind,
                        "metadata",
                        Map.of("name", name, "labels", Map.of("app.kubernetes.io/managed-by", "fathom-fleet")),
                        "spec",
                        RecordObject.spec(record)))));
    }

    /// Replaces one that still is as it was read.
    public void replace(RecordObject before, FileRecord record) {
        learn(client.patch(resource, namespace, before.name(), before.patchTo(record))
                .orElseThrow(() -> StoreProblems.gone(kind, namespace, before.name())));
    }

    public void delete(String name) {
        client.delete(resource, namespace, name);
        known.remove(name);
    }

    @Override
    public void close() {
        watch.close();
    }
}
