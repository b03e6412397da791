// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.ztunnel;

import io.fathom.app.http.Page;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;

/// What still has to happen before the program may be sent traffic, by upstream's names. Any thread.
final class Readiness implements Page {
    private final Set<String> pending = new ConcurrentSkipListSet<>();

    void await(String task) {
        pending.add(task);
    }

    void done(String task) {
        pending.remove(task);
    }

    boolean isReady() {
        return pending.isEmpty();
    }

    @Override
    public Reply reply(Query query) {
        var now = new TreeSet<>(pending);
        return now.isEmpty() ? Reply.text("ready") : Reply.text(500, "not ready, pending: " + String.join(", ", now));
    }
}
