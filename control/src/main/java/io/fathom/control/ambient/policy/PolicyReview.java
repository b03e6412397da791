// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.policy;

import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// What the author of an AuthorizationPolicy should hear before it is stored: the same words as its status gets
/// afterwards, and what node proxies will enforce of it. Pure.
public final class PolicyReview {
    private static final String SCHEME = "spiffe://";

    private PolicyReview() {}

    /// What is not as its author may think; empty when all of it is enforced as written.
    public static List<String> warnings(AuthorizationPolicyManifest policy, AmbientConfig config) {
        var warnings = new ArrayList<String>();
        if (policy.targets().isEmpty()) {
            var result = L4Policies.convert(policy, config.rootNamespace(), L4Policies.Options.of(config));
            result.condition()
                    .filter(condition -> !L4Policies.isEnforcedAsWritten(condition))
                    .ifPresent(condition -> {
                        warnings.add(condition.message());
                        result.served().ifPresent(served -> warnings.add("in effect: " + RuleWords.of(served)));
                    });
        }
        principals(policy)
                .filter(principal -> principal.startsWith(SCHEME))
                .distinct()
                .forEach(principal -> warnings.add("principal " + principal
                        + " never matches, because principals are written without the scheme; write "
                        + principal.substring(SCHEME.length())));
        return warnings;
    }

    private static Stream<String> principals(AuthorizationPolicyManifest policy) {
        return policy.rules().stream()
                .flatMap(rule -> Stream.concat(
                        rule.from().stream()
                                .flatMap(from -> Stream.concat(
                                        from.principals().values().stream(), from.principals().notValues().stream())),
                        rule.when().stream()
                                .filter(when -> when.key().equals("source.principal"))
                                .flatMap(when -> Stream.concat(when.values().stream(), when.notValues().stream()))));
    }
}
