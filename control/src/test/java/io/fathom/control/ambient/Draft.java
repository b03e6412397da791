// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/// A manifest in the making, for tests: everything has a sensible default and is changed by one word.
public abstract class Draft<B extends Draft<B>> {
    static final String CLUSTER = "Kubernetes";

    private String cluster = CLUSTER;
    private final String namespace;
    private final String name;
    private String uid;
    private final Map<String, String> labels = new HashMap<>();
    private final Map<String, String> annotations = new HashMap<>();
    private Instant created = Instant.ofEpochSecond(1_000);
    private Metadata.Lifecycle lifecycle = Metadata.Lifecycle.ACTIVE;

    /// @param path `namespace/name`, or `name` for a cluster-wide object
    Draft(String path) {
        var slash = path.indexOf('/');
        namespace = slash < 0 ? "" : path.substring(0, slash);
        name = path.substring(slash + 1);
        uid = "uid-of-" + name;
    }

    abstract Manifest manifest();

    abstract B self();

    public B label(String key, String value) {
        labels.put(key, value);
        return self();
    }

    public B labels(Map<String, String> more) {
        labels.putAll(more);
        return self();
    }

    public B annotation(String key, String value) {
        annotations.put(key, value);
        return self();
    }

    public B useWaypoint(String waypoint) {
        return label("istio.io/use-waypoint", waypoint);
    }

    public B uid(String text) {
        uid = text;
        return self();
    }

    public B cluster(String id) {
        cluster = id;
        return self();
    }

    /// Larger is younger.
    public B createdAt(long second) {
        created = Instant.ofEpochSecond(second);
        return self();
    }

    public B terminating() {
        lifecycle = Metadata.Lifecycle.TERMINATING;
        return self();
    }

    public ObjectKey key() {
        return new ObjectKey(cluster, namespace, name);
    }

    Metadata metadata() {
        return new Metadata(key(), uid, labels, annotations, created, lifecycle);
    }
}
