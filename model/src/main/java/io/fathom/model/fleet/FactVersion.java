// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.fleet;

/// Orders what one cluster says. Each stream has a higher incarnation than the one before, so what an old stream still
/// sends is told from what is new.
public record FactVersion(long incarnation, long sequence) implements Comparable<FactVersion> {
    public static final FactVersion NONE = new FactVersion(0, 0);

    @Override
    public int compareTo(FactVersion other) {
        var byIncarnation = Long.compare(incarnation, other.incarnation);
        return byIncarnation != 0 ? byIncarnation : Long.compare(sequence, other.sequence);
    }

    public FactVersion next() {
        return new FactVersion(incarnation, sequence + 1);
    }

    /// Of the next stream. The sequence goes on, so it alone orders what is said as long as nothing is lost.
    public FactVersion nextIncarnation() {
        return new FactVersion(incarnation + 1, sequence);
    }
}
