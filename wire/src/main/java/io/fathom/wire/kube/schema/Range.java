// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.schema;

/// From where to where, both inclusive.
record Range(long least, long most) {
    static final Range ALL = new Range(Long.MIN_VALUE, Long.MAX_VALUE);

    /// `1..5`, `1..`, `..5`.
    static Range parse(String text) {
        var dots = text.indexOf("..");
        var least = text.substring(0, dots);
        var most = text.substring(dots + 2);
        return new Range(
                least.isEmpty() ? Long.MIN_VALUE : Long.parseLong(least),
                most.isEmpty() ? Long.MAX_VALUE : Long.parseLong(most));
    }

    boolean contains(double value) {
        return value >= least && value <= most;
    }

    /// `from 1 to 5`, `at least 1`, `at most 5`.
    @Override
    public String toString() {
        if (least == Long.MIN_VALUE) {
            return "at most " + most;
        }
        return most == Long.MAX_VALUE ? "at least " + least : "from " + least + " to " + most;
    }
}
