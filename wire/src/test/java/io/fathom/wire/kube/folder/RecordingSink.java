// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.folder;

import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.manifest.Manifest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/// Remembers what it is told: all batches, and the state that follows from them.
final class RecordingSink implements Consumer<List<ManifestChange>> {
    private final List<List<ManifestChange>> batches = new ArrayList<>();
    private final Map<ManifestId, Manifest> state = new LinkedHashMap<>();
    private final Set<Thread> threads = new HashSet<>();

    @Override
    public synchronized void accept(List<ManifestChange> batch) {
        threads.add(Thread.currentThread());
        batches.add(batch);
        for (var change : batch) {
            switch (change) {
                case ManifestChange.Absent absent -> throw new AssertionError("folders name nothing: " + absent);
                case ManifestChange.Put(var manifest) -> state.put(ManifestId.of(manifest), manifest);
                case ManifestChange.Remove(var kind, var key) -> {
                    if (state.remove(new ManifestId(kind, key)) == null) {
                        throw new AssertionError("removed but never put: " + key);
                    }
                }
            }
        }
    }

    synchronized List<List<ManifestChange>> batches() {
        return List.copyOf(batches);
    }

    /// `Service shop/web` and so on, sorted.
    synchronized List<String> names() {
        return state.keySet().stream().map(ManifestId::toString).sorted().toList();
    }

    synchronized <M extends Manifest> M one(Class<M> type, String name) {
        return state.values().stream()
                .filter(manifest -> manifest.name().equals(name))
                .filter(type::isInstance)
                .map(type::cast)
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + name + " in " + names()));
    }

    synchronized boolean hasRemovals() {
        return batches.stream().flatMap(List::stream).anyMatch(ManifestChange.Remove.class::isInstance);
    }

    synchronized int threads() {
        return threads.size();
    }
}
