// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Update;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.network.Networks;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/// The way in for the objects of other clusters, which come and go while we run.
///
/// A large batch is taken in step by step, so that changes of other clusters, and of our own, get their turn in
/// between. Within a step nothing is half there; between steps a cluster may be. One thread at a time for each
/// cluster; different clusters may come on different threads.
public final class RemoteClusters {
    /// What one step takes in at most: some milliseconds of work.
    static final int STEP = 100;

    private final Flow flow;
    private final Inputs inputs;
    private final Networks networks;

    RemoteClusters(Flow flow, Inputs inputs, Networks networks) {
        this.flow = flow;
        this.inputs = inputs;
        this.networks = networks;
    }

    /// The kinds that count from other clusters.
    public static List<Class<? extends Manifest>> kinds() {
        return Inputs.OF_OTHER_CLUSTERS;
    }

    /// What changed in a cluster. Objects of kinds that do not count from other clusters are left out.
    public void apply(String cluster, List<ManifestChange> batch) {
        var counting = new ArrayList<ManifestChange>(batch.size());
        for (var change : batch) {
            var id = id(change);
            if (!id.key().cluster().equals(cluster)) {
                throw new IllegalArgumentException(
                        id + " of cluster " + id.key().cluster() + " came as of " + cluster);
            }
            if (order(id) >= 0) {
                counting.add(change);
            }
        }
        if (counting.size() > STEP) {
            // What others build on first: a pod that comes before its namespace and services is derived twice.
            counting.sort(Comparator.comparingInt(change -> order(id(change))));
        }
        take(counting);
    }

    /// All that a cluster has now, in place of all that it had. What is the same stays untouched.
    public void replace(String cluster, List<ManifestChange> complete) {
        var kept = new HashSet<ManifestId>();
        complete.forEach(change -> {
            if (change instanceof ManifestChange.Put(Manifest manifest)) {
                kept.add(ManifestId.of(manifest));
            }
        });
        apply(cluster, complete);
        take(removals(cluster).stream()
                .filter(change -> !kept.contains(id(change)))
                .toList());
    }

    /// Forgets a cluster: afterwards nothing of it is left.
    public void remove(String cluster) {
        take(removals(cluster));
    }

    /// How many objects of each kind have been taken in from a cluster; none for one that is not known.
    public Map<String, Integer> objects(String cluster) {
        var counts = new TreeMap<String, Integer>();
        for (var kind : Inputs.OF_OTHER_CLUSTERS) {
            var count = inputs.keys(flow.cut(), kind, cluster).size();
            if (count > 0) {
                counts.put(new ManifestId(kind, new ObjectKey(cluster, "", "")).kindName(), count);
            }
        }
        return counts;
    }

    /// The network that a cluster says it is on; empty where it does not say.
    public String network(String cluster) {
        return networks.of(flow.cut(), cluster);
    }

    /// The gateways first, so that nobody is sent to what is about to go; namespaces last.
    private List<ManifestChange> removals(String cluster) {
        var removals = new ArrayList<ManifestChange>();
        var cut = flow.cut();
        Consumer<Class<? extends Manifest>> collect = kind ->
                inputs.keys(cut, kind, cluster).forEach(key -> removals.add(new ManifestChange.Remove(kind, key)));
        var kinds = Inputs.OF_OTHER_CLUSTERS;
        kinds.subList(2, kinds.size()).forEach(collect);
        kinds.subList(0, 2).reversed().forEach(collect);
        return removals;
    }

    private void take(List<ManifestChange> changes) {
        for (int from = 0; from < changes.size(); from += STEP) {
            var step = changes.subList(from, Math.min(changes.size(), from + STEP));
            flow.update((Update update) -> step.forEach(change -> inputs.apply(update, change)));
        }
    }

    private static ManifestId id(ManifestChange change) {
        return switch (change) {
            case ManifestChange.Put(var manifest) -> ManifestId.of(manifest);
            case ManifestChange.Remove(var kind, var key) -> new ManifestId(kind, key);
            case ManifestChange.Absent(var kind, var key) -> new ManifestId(kind, key);
        };
    }

    private static int order(ManifestId id) {
        return Inputs.OF_OTHER_CLUSTERS.indexOf(id.kind());
    }
}
