// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.policy;

import io.fathom.base.lang.Truth;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Feature;
import io.fathom.control.ambient.status.StatusCondition;
import io.fathom.model.policy.Authorization;
import io.fathom.model.policy.Authorization.Scope;
import io.fathom.wire.kube.ConditionTypes;
import io.fathom.wire.kube.manifest.Damage;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Action;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;

/// AuthorizationPolicy in, what the node proxy enforces out. Pure.
///
/// HTTP attributes cannot be checked here. In ALLOW the rules that use them are left out; in DENY only the attributes
/// are, and a clause that has nothing else never holds. The condition says which of it happened.
public final class L4Policies {
    static final String CONDITION = ConditionTypes.ZTUNNEL_ACCEPTED;
    private static final String ACCEPTED = "Accepted";
    private static final String INVALID = "Invalid";
    private static final String UNSUPPORTED = "UnsupportedValue";
    private static final String DRY_RUN = "istio.io/dry-run";

    /// What becomes of policies that are marked as dry run.
    enum DryRuns {
        REFUSED,
        SERVED
    }

    /// What becomes of DENY rules with clauses that have nothing but HTTP attributes.
    enum Unenforceable {
        /// They deny nothing, as upstream.
        HAVE_NO_EFFECT,
        /// They deny as if those attributes were not written.
        DENY_ANYHOW
    }

    /// What the mesh has decided about policies.
    public record Options(DryRuns dryRuns, Unenforceable unenforceable) {
        static final Options DEFAULT = new Options(DryRuns.REFUSED, Unenforceable.HAVE_NO_EFFECT);

        public static Options of(AmbientConfig config) {
            return new Options(
                    config.has(Feature.DRY_RUN_AUTHORIZATION) ? DryRuns.SERVED : DryRuns.REFUSED,
                    config.has(Feature.DENY_UNENFORCEABLE_RULES)
                            ? Unenforceable.DENY_ANYHOW
                            : Unenforceable.HAVE_NO_EFFECT);
        }
    }

    /// @param served empty when node proxies do not see this policy
    /// @param condition empty when the policy is not meant for node proxies at all
    record L4PolicyResult(Optional<Authorization> served, Optional<StatusCondition> condition) {}

    private L4Policies() {}

    static L4PolicyResult convert(AuthorizationPolicyManifest policy, String rootNamespace, Options options) {
        if (!policy.targets().isEmpty()) {
            return new L4PolicyResult(Optional.empty(), Optional.empty());
        }
        var dryRun = Truth.isTrue(policy.annotations().getOrDefault(DRY_RUN, ""))
                ? Authorization.DryRun.YES
                : Authorization.DryRun.NO;
        if (dryRun == Authorization.DryRun.YES && options.dryRuns() == DryRuns.REFUSED) {
            return refused(
                    "ztunnel does not evaluate dry runs: the policy is not enforced (annotation " + DRY_RUN + ")");
        }
        return switch (policy.action()) {
            case AUDIT, CUSTOM ->
                policy.damage()
                        .map(damage -> new L4PolicyResult(Optional.empty(), Optional.of(damaged(damage))))
                        .orElseGet(() ->
                                refused("ztunnel has no action " + policy.action() + ": the policy is not enforced"));
            case ALLOW -> served(policy, rootNamespace, dryRun, Authorization.Action.ALLOW, options);
            case DENY -> served(policy, rootNamespace, dryRun, Authorization.Action.DENY, options);
        };
    }

    /// The labels a workload needs for this policy. A selector without labels selects every workload, like no selector.
    static Optional<Map<String, String>> selector(AuthorizationPolicyManifest policy) {
        return policy.selector().filter(labels -> !labels.isEmpty());
    }

    /// Whether a condition of this kind has nothing to say.
    static boolean isEnforcedAsWritten(StatusCondition condition) {
        return condition.reason().equals(ACCEPTED);
    }

    private static L4PolicyResult served(
            AuthorizationPolicyManifest policy,
            String rootNamespace,
            Authorization.DryRun dryRun,
            Authorization.Action action,
            Options options) {
        var rules = policy.rules().stream()
                .map(rule -> L4Rule.of(rule, policy.namespace()))
                .toList();
        var groups = rules.stream()
                .flatMap(rule -> switch (action) {
                    case ALLOW -> rule.narrowed().stream();
                    case DENY -> Stream.of(rule.widened(options.unenforceable()));
                })
                .toList();
        var authorization = new Authorization(
                policy.name(), policy.namespace(), scope(policy, rootNamespace), action, groups, dryRun);
        var condition = policy.damage()
                .map(L4Policies::damaged)
                .or(() -> unreadable(policy.action(), rules))
                .orElseGet(() -> judge(policy.action(), rules, options.unenforceable()));
        return new L4PolicyResult(Optional.of(authorization), Optional.of(condition));
    }

    private static Scope scope(AuthorizationPolicyManifest policy, String rootNamespace) {
        if (selector(policy).isPresent()) {
            return Scope.WORKLOAD_SELECTOR;
        }
        return policy.namespace().equals(rootNamespace) ? Scope.GLOBAL : Scope.NAMESPACE;
    }

    private static L4PolicyResult refused(String message) {
        return new L4PolicyResult(
                Optional.empty(),
                Optional.of(new StatusCondition(CONDITION, StatusCondition.Status.FALSE, UNSUPPORTED, message)));
    }

    /// Of an object that node proxies enforce, but not as it is written.
    static StatusCondition damaged(Damage damage) {
        return new StatusCondition(
                CONDITION,
                StatusCondition.Status.FALSE,
                INVALID,
                "it cannot be read as a whole: until it is mended it " + damage.inForce());
    }

    private static Optional<StatusCondition> unreadable(Action action, List<L4Rule> rules) {
        var values = rules.stream().flatMap(rule -> rule.unreadable().stream()).toList();
        return values.isEmpty()
                ? Optional.empty()
                : Optional.of(new StatusCondition(
                        CONDITION, StatusCondition.Status.FALSE, UNSUPPORTED, effectOf(values, action)));
    }

    /// What values mean that node proxies cannot compare with anything.
    public static String effectOf(List<String> values, Action action) {
        return "ztunnel cannot read %s: rules with that %s"
                .formatted(
                        String.join(", ", values), action == Action.ALLOW ? "allow nothing" : "deny every connection");
    }

    /// False when a rule that should deny something denies nothing; else the policy is served and no weaker than
    /// written. The reason tells whether all of it could be.
    private static StatusCondition judge(Action action, List<L4Rule> rules, Unenforceable unenforceable) {
        var http = new TreeSet<String>();
        rules.forEach(rule -> http.addAll(rule.http()));
        if (http.isEmpty()) {
            return new StatusCondition(CONDITION, StatusCondition.Status.TRUE, ACCEPTED, "enforced by ztunnel");
        }
        var open = action == Action.DENY
                && unenforceable == Unenforceable.HAVE_NO_EFFECT
                && rules.stream().anyMatch(L4Rule::isWeaker);
        var message = "ztunnel does not see HTTP: %s %s. Use targetRefs to enforce them at a waypoint%s"
                .formatted(
                        String.join(", ", http),
                        effect(action, rules, unenforceable),
                        open ? ", or set " + Feature.DENY_UNENFORCEABLE_RULES.variable() + " to deny anyhow" : "");
        return new StatusCondition(
                CONDITION, open ? StatusCondition.Status.FALSE : StatusCondition.Status.TRUE, UNSUPPORTED, message);
    }

    private static String effect(Action action, List<L4Rule> rules, Unenforceable unenforceable) {
        if (action == Action.ALLOW) {
            return "cannot be checked, so the rules that name them allow nothing and the policy is stricter than written";
        }
        if (unenforceable == Unenforceable.DENY_ANYHOW) {
            return "are left out of the rules that name them, which deny more than written";
        }
        var reduced = rules.stream().filter(rule -> !rule.http().isEmpty()).toList();
        if (reduced.stream().allMatch(L4Rule::isInert)) {
            return "cannot be checked, so the rules that name them deny nothing";
        }
        return reduced.stream().noneMatch(L4Rule::isWeaker)
                ? "are left out of the rules that name them, which deny more than written"
                : "are left out of the rules that name them; those that keep another attribute in every clause deny"
                        + " more than written, the others deny nothing";
    }
}
