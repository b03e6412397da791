// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Who wants to know of changes. One is told after the other; a failing one does not keep the others from hearing.
final class Subscribers {
    private static final Logger log = LoggerFactory.getLogger(Subscribers.class);

    private final List<Entry> entries = new CopyOnWriteArrayList<>();

    /// Equal only to itself, as the same subscriber may come twice and leave once.
    private static final class Entry {
        private final Runnable subscriber;

        Entry(Runnable subscriber) {
            this.subscriber = subscriber;
        }
    }

    AutoCloseable add(Runnable subscriber) {
        var entry = new Entry(subscriber);
        entries.add(entry);
        return () -> entries.remove(entry);
    }

    synchronized void tell() {
        for (var entry : entries) {
            try {
                entry.subscriber.run();
            } catch (RuntimeException e) {
                log.atError().setCause(e).log("a subscriber of the certificate authority failed");
            }
        }
    }
}
