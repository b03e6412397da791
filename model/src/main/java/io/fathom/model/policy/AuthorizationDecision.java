// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.policy;

import java.util.List;
import java.util.Optional;

/// Whether a connection may be, who says so, and what policies in dry run would have said.
public sealed interface AuthorizationDecision {
    /// How many policies a sentence names.
    int MOST_NAMED = 5;

    /// No policy forbids it and none restricts it.
    record AllowedByDefault(List<DryRunResult> dryRun) implements AuthorizationDecision {}

    record Allowed(Matched by, List<DryRunResult> dryRun) implements AuthorizationDecision {}

    record Denied(Matched by, List<DryRunResult> dryRun) implements AuthorizationDecision {}

    /// There are policies that allow something, but not this.
    record NotAllowed(List<String> allowPolicies, List<DryRunResult> dryRun) implements AuthorizationDecision {}

    /// What a policy that is not enforced found; `matched` is empty if it has nothing to say on the connection.
    record DryRunResult(String policy, Authorization.Action action, Optional<Matched> matched) {
        /// The line for the log.
        public String message() {
            var verdict = action == Authorization.Action.DENY ? "denied" : "allowed";
            return "dry-run: " + (matched.isPresent() ? "explicitly " + verdict : "not " + verdict) + " by: " + policy;
        }
    }

    /// One result for each policy in dry run that applies to the workload.
    List<DryRunResult> dryRun();

    default boolean isAllowed() {
        return switch (this) {
            case AllowedByDefault _, Allowed _ -> true;
            case Denied _, NotAllowed _ -> false;
        };
    }

    /// The policy that decided, if it was one alone.
    default Optional<String> policy() {
        return switch (this) {
            case Allowed allowed -> Optional.of(allowed.by.policy());
            case Denied denied -> Optional.of(denied.by.policy());
            case AllowedByDefault _, NotAllowed _ -> Optional.empty();
        };
    }

    /// The sentence for the access log and the client.
    default String message() {
        return switch (this) {
            case AllowedByDefault _ -> "allowed: no allow policies exist";
            case Allowed allowed -> "explicitly allowed by: " + allowed.by.policy();
            case Denied denied ->
                "explicitly denied by: " + denied.by.policy()
                        + RequiredWaypoints.parse(denied.by.policy())
                                .map(required -> ": " + required.message())
                                .orElse("");
            case NotAllowed none -> "allow policies exist, but none allowed: " + named(none.allowPolicies);
        };
    }

    /// The first few of them: the sentence goes over the wire.
    private static String named(List<String> policies) {
        var names = String.join(", ", policies.subList(0, Math.min(policies.size(), MOST_NAMED)));
        return policies.size() > MOST_NAMED ? names + " and " + (policies.size() - MOST_NAMED) + " more" : names;
    }
}
