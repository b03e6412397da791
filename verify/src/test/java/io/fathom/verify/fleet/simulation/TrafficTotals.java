// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.fleet.simulation;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// Frames and bytes by what they say.
final class TrafficTotals {
    private final Map<String, long[]> totals = new TreeMap<>();
    private int largest;

    void add(String kind, int bytes) {
        var total = totals.computeIfAbsent(kind, _ -> new long[2]);
        total[0]++;
        total[1] += bytes;
        largest = Math.max(largest, bytes);
    }

    int largest() {
        return largest;
    }

    long frames() {
        return totals.values().stream().mapToLong(total -> total[0]).sum();
    }

    long bytes() {
        return totals.values().stream().mapToLong(total -> total[1]).sum();
    }

    void clear() {
        totals.clear();
    }

    @Override
    public String toString() {
        return totals.entrySet().stream()
                .map(one -> one.getKey() + " " + one.getValue()[0] + " frames " + one.getValue()[1] + " B")
                .collect(Collectors.joining(", "));
    }
}
