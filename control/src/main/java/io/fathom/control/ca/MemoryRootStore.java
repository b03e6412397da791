// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import java.util.Optional;

/// Keeps the root as long as the process lives: after a restart nothing that it signed is trusted any more.
public final class MemoryRootStore implements RootStore {
    private Optional<Content> stored = Optional.empty();

    @Override
    public synchronized Optional<Content> read() {
        return stored;
    }

    @Override
    public synchronized boolean replace(Optional<Content> expected, Content content) {
        if (!stored.equals(expected)) {
            return false;
        }
        stored = Optional.of(content);
        return true;
    }
}
