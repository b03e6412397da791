// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.policy;

import io.fathom.model.mesh.Workload;
import io.fathom.model.policy.AuthorizationDecision.Allowed;
import io.fathom.model.policy.AuthorizationDecision.AllowedByDefault;
import io.fathom.model.policy.AuthorizationDecision.Denied;
import io.fathom.model.policy.AuthorizationDecision.DryRunResult;
import io.fathom.model.policy.AuthorizationDecision.NotAllowed;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Decides whether a connection to a workload may be. Pure: new connections, the re-check of open ones and `explain`
/// all ask this very function.
///
/// A DENY policy that matches wins. Without any ALLOW policy all else may be; with some, one of them must match.
/// What a waypoint will bring is denied for what the client is, and allowed for who the waypoint is. That calls have to
/// come through a waypoint ([RequiredWaypoints]) is then no reason to deny.
/// Policies in dry run are evaluated and reported, and change nothing.
public final class Authorizer {
    private static final AuthorizationDecision UNRESTRICTED = new AllowedByDefault(List.of());

    private Authorizer() {}

    public static AuthorizationDecision decide(PolicySet policies, Workload destination, Attempt attempt) {
        return decide(policies.applicable(destination), attempt);
    }

    /// Decides by exactly these policies, whatever their scope.
    public static AuthorizationDecision decide(List<Policy> applicable, Attempt attempt) {
        if (applicable.isEmpty()) {
            return UNRESTRICTED;
        }
        var brought = attempt.brought();
        var dryRun = dryRun(applicable, attempt, brought);
        for (var policy : applicable) {
            if (policy.denies() && !policy.isDryRun()) {
                var match = policy.match(policy.wantsWaypoint() ? brought : attempt);
                if (match != null) {
                    return new Denied(match, dryRun);
                }
            }
        }
        var restricted = false;
        for (var policy : applicable) {
            if (!policy.denies() && !policy.isDryRun()) {
                restricted = true;
                var match = policy.match(brought);
                if (match != null) {
                    return new Allowed(match, dryRun);
                }
            }
        }
        return restricted ? new NotAllowed(allowKeys(applicable), dryRun) : new AllowedByDefault(dryRun);
    }

    private static List<String> allowKeys(List<Policy> policies) {
        return policies.stream()
                .filter(policy -> !policy.denies() && !policy.isDryRun())
                .map(Policy::key)
                .toList();
    }

    private static List<DryRunResult> dryRun(List<Policy> policies, Attempt attempt, Attempt brought) {
        List<DryRunResult> results = List.of();
        for (var policy : policies) {
            if (policy.isDryRun()) {
                results = results.isEmpty() ? new ArrayList<>() : results;
                var match = policy.match(policy.denies() ? attempt : brought);
                results.add(new DryRunResult(policy.key(), policy.source().action(), Optional.ofNullable(match)));
            }
        }
        return List.copyOf(results);
    }
}
