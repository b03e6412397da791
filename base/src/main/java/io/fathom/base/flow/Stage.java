// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.flow;

/// A point of the graph. Stages settle in the order they were made, so each runs after all it can read.
abstract sealed class Stage permits Table, Index, LabelIndex {
    private final String name;
    private final int order;

    Stage(String name, int order) {
        this.name = name;
        this.order = order;
    }

    public final String name() {
        return name;
    }

    final int order() {
        return order;
    }

    /// Brings this stage up to date with the stages before it.
    abstract void settle();

    /// Forgets what the update changed.
    abstract void endUpdate();

    @Override
    public final String toString() {
        return name;
    }
}
