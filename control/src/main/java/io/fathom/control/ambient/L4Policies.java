package io.fathom.control.ambient;

import io.fathom.model.policy.Authorization;
import io.fathom.model.policy.Authorization.Scope;
import io.fathom.wire.kube.AuthorizationPolicyManifest;
import io.fathom.wire.kube.AuthorizationPolicyManifest.Action;
import io.fathom.wire.kube.ConditionTypes;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// AuthorizationPolicy in, what the node proxy enforces out. Pure.
///
/// HTTP attributes cannot be checked here. In ALLOW the rules that use them are left out; in DENY only the attributes
/// are, and a clause that has nothing else never holds. The condition says which of it happened.
final class L4Policies {
    static final String CONDITION = ConditionTypes.ZTUNNEL_ACCEPTED;
    private static final String ACCEPTED = "Accepted";
    private static final String UNSUPPORTED = "UnsupportedValue";
    private static final String DRY_RUN = "istio.io/dry-run";
    private static final Set<String> TRUE = Set.of("1", "t", "T", "true", "TRUE", "True");

    /// What becomes of policies that are marked as dry run.
    enum DryRuns {
        REFUSED,
        SERVED
    }

    /// @param served empty when node proxies do not see this policy
    /// @param condition empty when the policy is not meant for node proxies at all
    record Result(Optional<Authorization> served, Optional<Condition> condition) {}

    private L4Policies() {}

    static Result convert(AuthorizationPolicyManifest policy, String rootNamespace, DryRuns dryRuns) {
        if (!policy.targets().isEmpty()) {
            return new Result(Optional.empty(), Optional.empty());
        }
        var dryRun = TRUE.contains(policy.annotations().getOrDefault(DRY_RUN, ""))
                ? Authorization.DryRun.YES
                : Authorization.DryRun.NO;
        if (dryRun == Authorization.DryRun.YES && dryRuns == DryRuns.REFUSED) {
            return refused(
                    "ztunnel does not evaluate dry runs: the policy is not enforced (annotation " + DRY_RUN + ")");
        }
        return switch (policy.action()) {
            case AUDIT, CUSTOM -> refused("ztunnel has no action " + policy.action() + ": the policy is not enforced");
            case ALLOW -> served(policy, rootNamespace, dryRun, Authorization.Action.ALLOW);
            case DENY -> served(policy, rootNamespace, dryRun, Authorization.Action.DENY);
        };
    }

    /// The labels a workload needs for this policy. A selector without labels selects every workload, like no selector.
    static Optional<Map<String, String>> selector(AuthorizationPolicyManifest policy) {
        return policy.selector().filter(labels -> !labels.isEmpty());
    }

    /// Whether a condition of this kind has nothing to say.
    static boolean isEnforcedAsWritten(Condition condition) {
        return condition.reason().equals(ACCEPTED);
    }

    private static Result served(
            AuthorizationPolicyManifest policy,
            String rootNamespace,
            Authorization.DryRun dryRun,
            Authorization.Action action) {
        var rules = policy.rules().stream()
                .map(rule -> L4Rule.of(rule, policy.namespace()))
                .toList();
        var groups = rules.stream()
                .filter(rule ->
                        action == Authorization.Action.DENY || rule.http().isEmpty())
                .map(L4Rule::group)
                .toList();
        var authorization = new Authorization(
                policy.name(), policy.namespace(), scope(policy, rootNamespace), action, groups, dryRun);
        return new Result(Optional.of(authorization), Optional.of(judge(policy.action(), rules)));
    }

    private static Scope scope(AuthorizationPolicyManifest policy, String rootNamespace) {
        if (selector(policy).isPresent()) {
            return Scope.WORKLOAD_SELECTOR;
        }
        return policy.namespace().equals(rootNamespace) ? Scope.GLOBAL : Scope.NAMESPACE;
    }

    private static Result refused(String message) {
        return new Result(
                Optional.empty(), Optional.of(new Condition(CONDITION, Condition.Status.FALSE, UNSUPPORTED, message)));
    }

    /// Still served in either case, hence true; the reason tells whether all of it could be.
    private static Condition judge(Action action, List<L4Rule> rules) {
        var http = new TreeSet<String>();
        rules.forEach(rule -> http.addAll(rule.http()));
        if (http.isEmpty()) {
            return new Condition(CONDITION, Condition.Status.TRUE, ACCEPTED, "enforced by ztunnel");
        }
        var message = "ztunnel does not see HTTP: %s %s. Use targetRefs to enforce them at a waypoint"
                .formatted(String.join(", ", http), effect(action, rules));
        return new Condition(CONDITION, Condition.Status.TRUE, UNSUPPORTED, message);
    }

    private static String effect(Action action, List<L4Rule> rules) {
        if (action == Action.ALLOW) {
            return "cannot be checked, so the rules that name them allow nothing and the policy is stricter than written";
        }
        var reduced = rules.stream().filter(rule -> !rule.http().isEmpty()).toList();
        if (reduced.stream().allMatch(L4Rule::isInert)) {
            return "cannot be checked, so the rules that name them have no effect";
        }
        return reduced.stream().noneMatch(L4Rule::isInert)
                ? "are left out of the rules that name them, which deny more than written"
                : "are left out of the rules that name them; those that keep another attribute in every clause deny"
                        + " more than written, the others have no effect";
    }
}
