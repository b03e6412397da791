// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/// A difference to upstream that we chose, as `docs/differences.md` has it. Random clusters avoid most of them; what is
/// here cannot be avoided without leaving out half of what is compared.
///
/// @param upstream what upstream does, word for word as in that document
/// @param lines which lines of a comparison are due to it
record Tolerated(String upstream, Predicate<String> lines) {
    static final List<Tolerated> DIFFERENCES = List.of(
            // Pods that call themselves instances of a Gateway which has no address at the moment.
            matching(
                    "Only Services with the label of a managed gateway, and pods of a ready Gateway, are kept from having"
                            + " a waypoint.",
                    "^address Kubernetes//Pod/[a-z]+/instance-\\d+: at /workload/(applicationTunnel|waypoint)"));

    private static Tolerated matching(String upstream, String expression) {
        return new Tolerated(upstream, Pattern.compile(expression).asPredicate());
    }

    /// The lines that no chosen difference explains.
    static List<String> unexplained(List<String> lines) {
        return lines.stream()
                .filter(line -> DIFFERENCES.stream().noneMatch(each -> each.lines.test(line)))
                .toList();
    }
}
