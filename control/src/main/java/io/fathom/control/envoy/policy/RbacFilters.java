// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import io.envoyproxy.envoy.config.listener.v3.Filter;
import io.envoyproxy.envoy.config.rbac.v3.Policy;
import io.envoyproxy.envoy.config.rbac.v3.RBAC;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.fathom.base.lang.Truth;
import io.fathom.control.envoy.policy.Clause.Doubt;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Action;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The policies that the proxy decides about itself: one filter for each of AUDIT, DENY and ALLOW. Pure.
final class RbacFilters {
    static final String HTTP_FILTER = "envoy.filters.http.rbac";
    static final String NETWORK_FILTER = "envoy.filters.network.rbac";
    /// Of the statistics of network filters; upstream's.
    static final String TCP_PREFIX = "tcp.";

    private static final String DRY_RUN = "istio.io/dry-run";
    private static final Policy NEVER = Policy.newBuilder()
            .addPermissions(Clause.PERMISSIONS.not(Clause.PERMISSIONS.always()))
            .addPrincipals(Clause.PRINCIPALS.not(Clause.PRINCIPALS.always()))
            .build();

    private RbacFilters() {}

    /// Rules that count, and rules that are only tried out: the ways to write both as a filter.
    ///
    /// @param prefix of what is noted about those that are tried out
    record Rules(Optional<RBAC> enforced, Optional<RBAC> tried, String prefix) {
        static Rules enforcing(RBAC rules) {
            return new Rules(Optional.of(rules), Optional.empty(), "");
        }

        static Rules trying(RBAC rules, String prefix) {
            return new Rules(Optional.empty(), Optional.of(rules), prefix);
        }

        HttpFilter http() {
            var filter = io.envoyproxy.envoy.extensions.filters.http.rbac.v3.RBAC.newBuilder();
            enforced.ifPresent(filter::setRules);
            tried.ifPresent(rules -> filter.setShadowRules(rules).setShadowRulesStatPrefix(prefix));
            return PolicyFilters.filter(HTTP_FILTER, filter.build());
        }

        Filter tcp() {
            var filter = io.envoyproxy.envoy.extensions.filters.network.rbac.v3.RBAC.newBuilder();
            filter.setStatPrefix(TCP_PREFIX);
            enforced.ifPresent(filter::setRules);
            tried.ifPresent(rules -> filter.setShadowRules(rules).setShadowRulesStatPrefix(prefix));
            return PolicyFilters.networkFilter(NETWORK_FILTER, filter.build());
        }
    }

    static List<HttpFilter> http(AppliedPolicies policies, Dialect dialect) {
        return rules(policies, dialect).stream().map(Rules::http).toList();
    }

    static List<Filter> tcp(AppliedPolicies policies, Dialect dialect) {
        return rules(policies, dialect).stream().map(Rules::tcp).toList();
    }

    private static List<Rules> rules(AppliedPolicies policies, Dialect dialect) {
        var all = new ArrayList<Rules>();
        for (var action : List.of(Action.AUDIT, Action.DENY, Action.ALLOW)) {
            var enforced = rbac(policies, action, dialect, Mode.ENFORCED);
            var tried = action == Action.AUDIT
                    ? Optional.<RBAC>empty() // nothing to try: it never refuses
                    : rbac(policies, action, dialect, Mode.DRY_RUN);
            if (enforced.isPresent() || tried.isPresent()) {
                var prefix = action == Action.ALLOW ? "istio_dry_run_allow_" : "istio_dry_run_deny_";
                all.add(new Rules(enforced, tried, prefix));
            }
        }
        return all;
    }

    private enum Mode {
        ENFORCED,
        DRY_RUN
    }

    /// Empty when no policy has that action.
    private static Optional<RBAC> rbac(AppliedPolicies policies, Action action, Dialect dialect, Mode mode) {
        var selected = policies.of(action)
                .filter(policy -> isDryRun(policy) == (mode == Mode.DRY_RUN))
                .toList();
        if (selected.isEmpty()) {
            return Optional.empty();
        }
        var rbac = RBAC.newBuilder().setAction(action(action));
        selected.forEach(policy -> write(policy, dialect, "", "", rbac));
        return Optional.of(rbac.build());
    }

    /// Adds the rules of a policy, each under its name. Rules that must not hold are left out.
    static void write(
            AuthorizationPolicyManifest policy, Dialect dialect, String before, String after, RBAC.Builder rbac) {
        var doubt = policy.action() == Action.ALLOW ? Doubt.NARROWS : Doubt.WIDENS;
        var writer = new RuleWriter(dialect, policy.namespace(), doubt);
        for (var i = 0; i < policy.rules().size(); i++) {
            var name = before + name(policy, i) + after;
            writer.write(policy.rules().get(i)).ifPresent(rule -> rbac.putPolicies(name, rule));
        }
        if (policy.rules().isEmpty()) {
            rbac.putPolicies(before + name(policy, 0) + after, NEVER);
        }
    }

    static boolean isDryRun(AuthorizationPolicyManifest policy) {
        return Truth.isTrue(policy.annotations().getOrDefault(DRY_RUN, ""));
    }

    private static String name(AuthorizationPolicyManifest policy, int rule) {
        return "ns[" + policy.namespace() + "]-policy[" + policy.name() + "]-rule[" + rule + "]";
    }

    private static RBAC.Action action(Action action) {
        return switch (action) {
            case ALLOW -> RBAC.Action.ALLOW;
            case DENY, CUSTOM -> RBAC.Action.DENY;
            case AUDIT -> RBAC.Action.LOG;
        };
    }
}
