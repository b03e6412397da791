// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.pods;

import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.core.NamespaceManifest;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The pods of one node, and the labels of all namespaces, as their source last told. Pods of other nodes, and those
/// without a UID, are none of its business. One thread at a time applies; any may ask.
public final class NodePods {
    private final String node;
    private volatile Map<ObjectKey, PodManifest> pods = Map.of();
    private volatile Map<String, Map<String, String>> namespaces = Map.of();

    public NodePods(String node) {
        this.node = node;
    }

    public Collection<PodManifest> all() {
        return pods.values();
    }

    public Optional<PodManifest> pod(String namespace, String name) {
        return pods.values().stream()
                .filter(pod -> pod.name().equals(name) && pod.namespace().equals(namespace))
                .findFirst();
    }

    /// Whether the labels of a namespace are known; one without labels is.
    public boolean knows(String namespace) {
        return namespaces.containsKey(namespace);
    }

    /// None if the namespace is not known.
    public Map<String, String> labels(String namespace) {
        return namespaces.getOrDefault(namespace, Map.of());
    }

    /// Takes a batch in and says what it means for pods. A pod whose namespace got other labels counts as changed.
    public synchronized List<PodChange> apply(List<ManifestChange> batch) {
        var nextPods = new LinkedHashMap<>(pods);
        var nextNamespaces = new HashMap<>(namespaces);
        var touched = new HashSet<ObjectKey>();
        var relabelled = new HashSet<String>();
        for (var change : batch) {
            switch (change) {
                case ManifestChange.Put put -> put(put.manifest(), nextPods, touched, nextNamespaces, relabelled);
                case ManifestChange.Absent _ -> {} // nothing is followed by name
                case ManifestChange.Remove remove -> {
                    if (remove.kind() == PodManifest.class && nextPods.remove(remove.key()) != null) {
                        touched.add(remove.key());
                    } else if (remove.kind() == NamespaceManifest.class) {
                        nextNamespaces.remove(remove.key().name());
                        relabelled.add(remove.key().name());
                    }
                }
            }
        }
        for (var pod : nextPods.values()) {
            if (relabelled.contains(pod.namespace())) {
                touched.add(pod.key());
            }
        }
        var before = pods;
        pods = Map.copyOf(nextPods);
        namespaces = Map.copyOf(nextNamespaces);
        return changes(touched, before, pods);
    }

    private void put(
            Manifest manifest,
            Map<ObjectKey, PodManifest> nextPods,
            Set<ObjectKey> touched,
            Map<String, Map<String, String>> nextNamespaces,
            Set<String> relabelled) {
        switch (manifest) {
            case PodManifest pod
            when isOurs(pod) -> {
                nextPods.put(pod.key(), pod);
                touched.add(pod.key());
            }
            case PodManifest other -> {
                if (nextPods.remove(other.key()) != null) {
                    touched.add(other.key());
                }
            }
            case NamespaceManifest namespace -> {
                var old = nextNamespaces.put(namespace.name(), namespace.labels());
                if (!namespace.labels().equals(old)) {
                    relabelled.add(namespace.name());
                }
            }
            default -> {} // nothing that decides about capture
        }
    }

    private boolean isOurs(PodManifest pod) {
        return pod.node().equals(node) && !pod.metadata().uid().isEmpty();
    }

    private static List<PodChange> changes(
            Set<ObjectKey> touched, Map<ObjectKey, PodManifest> before, Map<ObjectKey, PodManifest> after) {
        var changes = new ArrayList<PodChange>();
        for (var key : touched) {
            var old = Optional.ofNullable(before.get(key));
            var fresh = Optional.ofNullable(after.get(key));
            var same = old.isPresent()
                    && fresh.isPresent()
                    && old.get().metadata().uid().equals(fresh.get().metadata().uid());
            if (same) {
                changes.add(new PodChange.Changed(fresh.get()));
            } else {
                old.ifPresent(pod -> changes.add(new PodChange.Gone(pod)));
                fresh.ifPresent(pod -> changes.add(new PodChange.Came(pod)));
            }
        }
        return changes;
    }
}
