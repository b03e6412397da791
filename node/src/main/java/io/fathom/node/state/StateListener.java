// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.state;

/// Hears of each change after everybody can see it, on the thread that writes: must not block.
@FunctionalInterface
public interface StateListener {
    void changed(StateChange change);
}
