// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.ztunnel;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/// How many threads carry traffic. Pure.
///
/// @param cores of the machine
/// @param asked a number, a percentage of the cores like `50%`, `0` for all cores; empty to work it out
/// @param limit CPU limit of the container, like `500m` or `1.5`; empty if there is none
/// @param request CPU request of the container, likewise
/// @param concurrency of the mesh file
record WorkerThreads(int cores, String asked, String limit, String request, OptionalInt concurrency) {
    private static final Pattern PERCENT = Pattern.compile("(\\d{1,4})%");
    private static final Pattern NUMBER = Pattern.compile("\\d{1,5}");
    private static final Pattern CPU = Pattern.compile("(\\d{1,6})(?:\\.(\\d{1,3})\\d*)?(m?)");

    /// Empty if what was asked for is neither a number nor a percentage, or an amount of CPU is none.
    Optional<Integer> count() {
        if (!asked.isEmpty()) {
            return explicit();
        }
        if (concurrency.isPresent()) {
            return Optional.of(allIfZero(concurrency.getAsInt()));
        }
        var least = request.isEmpty() ? Optional.of(0) : whole(request);
        if (!limit.isEmpty()) {
            return whole(limit).flatMap(most -> least.map(wanted -> Math.max(1, Math.max(most, wanted))));
        }
        return least.map(wanted -> Math.max(Math.max((cores + 3) / 4, wanted), 2));
    }

    private Optional<Integer> explicit() {
        var percent = PERCENT.matcher(asked);
        if (percent.matches()) {
            var share = (cores * Integer.parseInt(percent.group(1)) + 99) / 100;
            return Optional.of(Math.max(1, share));
        }
        return NUMBER.matcher(asked).matches() ? Optional.of(allIfZero(Integer.parseInt(asked))) : Optional.empty();
    }

    private int allIfZero(int count) {
        return count == 0 ? cores : count;
    }

    /// Rounded up to whole CPUs.
    private static Optional<Integer> whole(String amount) {
        var parts = CPU.matcher(amount);
        if (!parts.matches()) {
            return Optional.empty();
        }
        var number = Integer.parseInt(parts.group(1));
        if (parts.group(3).equals("m")) {
            return Optional.of((number + 999) / 1000);
        }
        var fraction = parts.group(2);
        return Optional.of(fraction == null || fraction.chars().allMatch(c -> c == '0') ? number : number + 1);
    }
}
