// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/// Pods that a test adds and removes.
final class TestPods implements PodDirectory {
    private final List<Row> rows = new CopyOnWriteArrayList<>();

    private record Row(String namespace, String name, Pod pod, boolean failed) {}

    TestPods add(String namespace, String name, String uid, String account, String node) {
        rows.add(new Row(namespace, name, new Pod(uid, account, node), false));
        return this;
    }

    TestPods addFailed(String namespace, String name, String uid, String account, String node) {
        rows.add(new Row(namespace, name, new Pod(uid, account, node), true));
        return this;
    }

    void remove(String name) {
        rows.removeIf(row -> row.name().equals(name));
    }

    @Override
    public Optional<Pod> pod(String namespace, String name) {
        return rows.stream()
                .filter(row -> row.namespace().equals(namespace) && row.name().equals(name))
                .map(Row::pod)
                .findFirst();
    }

    @Override
    public boolean runs(String node, String namespace, String serviceAccount) {
        return rows.stream()
                .anyMatch(row -> !row.failed()
                        && row.namespace().equals(namespace)
                        && row.pod().node().equals(node)
                        && row.pod().serviceAccount().equals(serviceAccount));
    }
}
