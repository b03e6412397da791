// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.cli;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/// What can be asked for, and the page that has it.
enum DebugListing {
    WORKLOADS("/debug/ambientz", "workloads", "no workloads", "workload", "w"),
    SERVICES("/debug/ambientz", "services", "no services", "service", "svc"),
    POLICIES("/debug/ambientz", "policies", "no policies", "policy", "pol"),
    PROBLEMS("/debug/problemz", "", "no problems", "problem", ""),
    STATUS("/debug/statusz", "", "no conditions", "statuses", "");

    private final String page;
    private final String part;
    private final String nothing;
    private final String alias;
    private final String shortName;

    DebugListing(String page, String part, String nothing, String alias, String shortName) {
        this.page = page;
        this.part = part;
        this.nothing = nothing;
        this.alias = alias;
        this.shortName = shortName;
    }

    static DebugListing of(String word) {
        var wanted = word.isEmpty() ? "nothing" : word.toLowerCase(Locale.ROOT);
        return Arrays.stream(values())
                .filter(kind -> List.of(kind.word(), kind.alias, kind.shortName).contains(wanted))
                .findFirst()
                .orElseThrow(() -> new ProblemException(Problem.ofInput(
                        "bad-command-line", "there is no kind '" + word + "'", "give one of " + words())));
    }

    static String words() {
        return String.join(", ", Arrays.stream(values()).map(DebugListing::word).toList());
    }

    String page() {
        return page;
    }

    /// The field of the page's JSON that holds it; empty for all of it.
    String part() {
        return part;
    }

    /// What to say when there are none.
    String nothing() {
        return nothing;
    }

    private String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
