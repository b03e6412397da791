// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.work;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Everything that was started, to be closed together; the last first, unless another order is wanted. One that fails
/// does not keep the others from being closed. Any thread.
public final class Parts implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Parts.class);

    private final Order order;
    private final Deque<AutoCloseable> parts = new ArrayDeque<>(); // the next one to close first

    /// In which order parts are closed.
    public enum Order {
        LAST_FIRST,
        FIRST_FIRST
    }

    public Parts() {
        this(Order.LAST_FIRST);
    }

    public Parts(Order order) {
        this.order = order;
    }

    public synchronized <T extends AutoCloseable> T keep(T part) {
        switch (order) {
            case LAST_FIRST -> parts.addFirst(part);
            case FIRST_FIRST -> parts.addLast(part);
        }
        return part;
    }

    @Override
    public synchronized void close() {
        while (!parts.isEmpty()) {
            try {
                parts.removeFirst().close();
            } catch (Exception e) {
                log.atWarn().setCause(e).log("a part did not stop cleanly"); // the others have to stop all the same
            }
        }
    }
}
