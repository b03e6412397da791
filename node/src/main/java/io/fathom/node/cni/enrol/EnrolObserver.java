// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.enrol;

/// Hears what the engine is told, to count it. Called under the engine's lock: must not block.
public interface EnrolObserver {
    enum Event {
        ADD,
        UPDATE,
        DELETE
    }

    void saw(Event event);
}
