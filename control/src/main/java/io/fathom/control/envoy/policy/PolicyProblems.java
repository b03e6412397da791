// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Table;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Problem.Origin;
import io.fathom.base.lang.Problem.Retry;
import io.fathom.control.envoy.policy.PolicySettings.CustomProviders;
import io.fathom.control.problem.ObjectProblem;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.meshconfig.ExtAuthzProvider;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Action;
import io.fathom.wire.kube.security.RequestAuthenticationManifest;
import io.fathom.wire.kube.security.RequestAuthenticationManifest.JwtRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/// What the author of a policy should know: why it is not enforced as written.
final class PolicyProblems {
    private final EnvoyPolicies.SettingsLookup settings;
    private final Index<Anchor, ObjectKey, AuthorizationPolicyManifest> authorizations;
    private final Table<JwksSource, JwksStore.KeySetState> fetched;

    PolicyProblems(
            EnvoyPolicies.SettingsLookup settings,
            Index<Anchor, ObjectKey, AuthorizationPolicyManifest> authorizations,
            Table<JwksSource, JwksStore.KeySetState> fetched) {
        this.settings = settings;
        this.authorizations = authorizations;
        this.fetched = fetched;
    }

    List<ObjectProblem> ofAuthorization(Fetch<ObjectKey> fetch, AuthorizationPolicyManifest policy) {
        var object = ManifestId.of(policy);
        var problems = new ArrayList<ObjectProblem>();
        PolicyRemarks.of(policy).forEach(remark -> problems.add(remark.about(object)));
        if (policy.action() == Action.CUSTOM) {
            ofCustom(fetch, policy)
                    .ifPresent(problem -> problems.add(ObjectProblem.error(object, "spec.provider.name", problem)));
        }
        return problems;
    }

    private Optional<Problem> ofCustom(Fetch<ObjectKey> fetch, AuthorizationPolicyManifest policy) {
        var provider = settings.of(fetch).provider(policy.provider());
        if (provider.isEmpty()) {
            return problem(
                    policy,
                    "policy-provider-unknown",
                    "names provider " + policy.provider() + ", which there is not: what its rules match is refused",
                    "add it to extensionProviders in the mesh configuration, or correct provider.name");
        }
        if (!(provider.get() instanceof ExtAuthzProvider)) {
            return problem(
                    policy,
                    "policy-provider-kind",
                    "names provider " + policy.provider()
                            + ", which does not decide about requests: what its rules match is refused",
                    "name a provider of the kind envoyExtAuthzHttp or envoyExtAuthzGrpc");
        }
        var others = others(fetch, policy);
        if (settings.of(fetch).customProviders() == CustomProviders.ONE && !others.isEmpty()) {
            return problem(
                    policy,
                    "policy-several-providers",
                    "names provider " + policy.provider() + ", others for the same target name "
                            + String.join(", ", others) + ": what their rules match is refused",
                    "use one provider for a target, or set PILOT_ENABLE_MULTIPLE_CUSTOM_AUTHZ_PROVIDERS");
        }
        return Optional.empty();
    }

    private SortedSet<String> others(Fetch<ObjectKey> fetch, AuthorizationPolicyManifest policy) {
        var names = new TreeSet<String>();
        for (var anchor : Anchor.of(policy.namespace(), policy.targets(), policy.damage())) {
            fetch.all(authorizations, anchor).stream()
                    .filter(other -> other.action() == Action.CUSTOM && !RbacFilters.isDryRun(other))
                    .filter(other -> other.selector().equals(policy.selector()))
                    .map(AuthorizationPolicyManifest::provider)
                    .forEach(names::add);
        }
        names.remove(policy.provider());
        return names;
    }

    private static Optional<Problem> problem(
            AuthorizationPolicyManifest policy, String code, String message, String fix) {
        return Optional.of(
                Problem.ofInput(code, "AuthorizationPolicy " + policy.key().path() + " " + message, fix));
    }

    List<ObjectProblem> ofAuthentication(Fetch<ObjectKey> fetch, RequestAuthenticationManifest policy) {
        var object = ManifestId.of(policy);
        var problems = new ArrayList<ObjectProblem>();
        PolicyRemarks.of(policy).forEach(remark -> problems.add(remark.about(object)));
        for (var i = 0; i < policy.rules().size(); i++) {
            var field = "spec.jwtRules[" + i + "].jwksUri";
            unreachable(fetch, object.toString(), policy.rules().get(i))
                    .ifPresent(problem -> problems.add(ObjectProblem.error(object, field, problem)));
        }
        return problems;
    }

    private Optional<Problem> unreachable(Fetch<ObjectKey> fetch, String subject, JwtRule rule) {
        return JwksSource.of(rule)
                .flatMap(source -> fetch.one(fetched, source))
                .flatMap(state -> state.failure()
                        .map(reason -> new Problem(
                                "jwks-unreachable",
                                subject + ": the key set of issuer " + rule.issuer() + " cannot be fetched (" + reason
                                        + "): "
                                        + (state.keySet().isPresent()
                                                ? "the last one stays in use"
                                                : "tokens of that issuer are refused"),
                                "check jwksUri, and that the control plane reaches that address",
                                Origin.SERVER,
                                Retry.SENSIBLE)));
    }
}
