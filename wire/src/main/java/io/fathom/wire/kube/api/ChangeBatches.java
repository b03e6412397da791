// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.api;

import io.fathom.wire.kube.api.ObjectWatch.Change;
import io.fathom.wire.kube.api.ObjectWatch.WatchSink;
import java.util.ArrayList;
import java.util.List;

/// Collects changes for a sink: first all of the beginning, then whatever came together. For queries that find little,
/// as it holds whole objects. For the thread of the watch.
final class ChangeBatches implements ObjectWatch.Receiver {
    private static final int LARGEST_BATCH = 1000;

    private final WatchSink sink;
    private List<Change> batch = new ArrayList<>();
    private boolean complete;

    ChangeBatches(WatchSink sink) {
        this.sink = sink;
    }

    @Override
    public void put(KubeObject object) {
        add(new Change.Put(object));
    }

    @Override
    public void remove(String namespace, String name, String uid) {
        add(new Change.Remove(namespace, name, uid));
    }

    private void add(Change change) {
        batch.add(change);
        if (batch.size() >= LARGEST_BATCH) {
            rest();
        }
    }

    @Override
    public void complete() {
        complete = true;
        give();
    }

    @Override
    public void rest() {
        if (complete && !batch.isEmpty()) {
            give();
        }
    }

    private void give() {
        var given = List.copyOf(batch);
        batch = new ArrayList<>();
        sink.changed(given);
    }
}
