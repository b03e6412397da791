// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

/// What only the leader does.
@FunctionalInterface
public interface LeaderTask {
    /// Called on a virtual thread each time leadership is won; what it returns is closed, on the same thread, once
    /// leadership is lost or given up. Both may block: the next term does not begin before the last one has ended.
    AutoCloseable begin();

    /// Both, for the same term.
    static LeaderTask both(LeaderTask first, LeaderTask second) {
        return () -> {
            var one = first.begin();
            var other = second.begin();
            return () -> {
                try (one) {
                    other.close();
                }
            };
        };
    }
}
