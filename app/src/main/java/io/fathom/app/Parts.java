// SPDX-License-Identifier: Apache-2.0
package io.fathom.app;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Everything that was started, to be closed in reverse. Any thread.
public final class Parts implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Parts.class);

    private final Deque<AutoCloseable> parts = new ArrayDeque<>();

    public synchronized <T extends AutoCloseable> T keep(T part) {
        parts.push(part);
        return part;
    }

    @Override
    public synchronized void close() {
        while (!parts.isEmpty()) {
            try {
                parts.pop().close();
            } catch (Exception e) {
                log.atWarn().setCause(e).log("a part did not stop cleanly"); // the others have to stop all the same
            }
        }
    }
}
