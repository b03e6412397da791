// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import io.fathom.control.envoy.view.Remark;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Action;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Rule;
import io.fathom.wire.kube.security.RequestAuthenticationManifest;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// Why a policy is not enforced as written, as far as the policy itself tells. Pure.
public final class PolicyRemarks {
    private PolicyRemarks() {}

    public static List<Remark> of(AuthorizationPolicyManifest policy) {
        var remarks = new ArrayList<Remark>();
        for (var i = 0; i < policy.rules().size(); i++) {
            paths(policy, i, remarks);
        }
        if (policy.action() == Action.CUSTOM) {
            custom(policy, remarks);
        }
        return remarks;
    }

    private static void paths(AuthorizationPolicyManifest policy, int rule, List<Remark> remarks) {
        policy.rules().get(rule).to().stream()
                .flatMap(to -> Stream.concat(to.paths().values().stream(), to.paths().notValues().stream()))
                .filter(path -> !Requests.isReadable(path))
                .forEach(path -> remarks.add(Remark.mistake(
                        "spec.rules[" + rule + "]",
                        "policy-path-template",
                        "cannot use path " + path
                                + (policy.action() == Action.ALLOW
                                        ? ": the rule never holds"
                                        : ": it counts as not written"),
                        "write {*} for one part of the path and {**} for the rest of it, each between slashes")));
    }

    private static void custom(AuthorizationPolicyManifest policy, List<Remark> remarks) {
        if (RbacFilters.isDryRun(policy)) {
            remarks.add(Remark.warning(
                    "spec",
                    "policy-custom-dry-run",
                    "is not enforced: providers are not asked for a dry run",
                    "delete the annotation istio.io/dry-run"));
        }
        if (policy.provider().isEmpty()) {
            remarks.add(Remark.mistake(
                    "spec.provider.name",
                    "policy-provider-missing",
                    "is missing: what the rules match is refused",
                    "set it to one of extensionProviders in the mesh configuration"));
        }
        for (var i = 0; i < policy.rules().size(); i++) {
            if (usesTokens(policy.rules().get(i))) {
                remarks.add(Remark.warning(
                        "spec.rules[" + i + "]",
                        "policy-custom-token",
                        "is about tokens, which are checked only after providers were asked: it never holds",
                        "let the provider look at the token, or use the action DENY or ALLOW"));
            }
        }
    }

    private static boolean usesTokens(Rule rule) {
        return rule.when().stream().anyMatch(when -> when.key().startsWith("request.auth."))
                || rule.from().stream()
                        .anyMatch(from -> !from.requestPrincipals().values().isEmpty()
                                || !from.requestPrincipals().notValues().isEmpty());
    }

    public static List<Remark> of(RequestAuthenticationManifest policy) {
        var remarks = new ArrayList<Remark>();
        for (var i = 0; i < policy.rules().size(); i++) {
            var rule = policy.rules().get(i);
            if (!rule.refusesAll() && JwksSource.of(rule).isEmpty() && !KeySetJson.isUsable(rule.jwks())) {
                remarks.add(Remark.mistake(
                        "spec.jwtRules[" + i + "].jwks",
                        "jwks-unusable",
                        "is no key set: tokens of issuer " + rule.issuer() + " are refused",
                        "write JSON with a list keys, or set jwksUri"));
            }
        }
        return remarks;
    }
}
