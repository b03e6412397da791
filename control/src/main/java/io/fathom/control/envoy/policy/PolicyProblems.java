package io.fathom.control.envoy.policy;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Table;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Problem.Origin;
import io.fathom.base.lang.Problem.Retry;
import io.fathom.control.envoy.policy.PolicySettings.CustomProviders;
import io.fathom.wire.kube.AuthorizationPolicyManifest;
import io.fathom.wire.kube.AuthorizationPolicyManifest.Action;
import io.fathom.wire.kube.AuthorizationPolicyManifest.Rule;
import io.fathom.wire.kube.ExtAuthzProvider;
import io.fathom.wire.kube.ObjectKey;
import io.fathom.wire.kube.RequestAuthenticationManifest;
import io.fathom.wire.kube.RequestAuthenticationManifest.JwtRule;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/// What the author of a policy should know: why it is not enforced as written.
final class PolicyProblems {
    private final EnvoyPolicies.Settings settings;
    private final Index<Anchor, ObjectKey, AuthorizationPolicyManifest> authorizations;
    private final Table<JwksSource, JwksStore.State> fetched;

    PolicyProblems(
            EnvoyPolicies.Settings settings,
            Index<Anchor, ObjectKey, AuthorizationPolicyManifest> authorizations,
            Table<JwksSource, JwksStore.State> fetched) {
        this.settings = settings;
        this.authorizations = authorizations;
        this.fetched = fetched;
    }

    Optional<Problem> ofAuthorization(Fetch<ObjectKey> fetch, AuthorizationPolicyManifest policy) {
        var unreadable = policy.rules().stream()
                .flatMap(rule -> rule.to().stream())
                .flatMap(to -> Stream.concat(to.paths().stream(), to.notPaths().stream()))
                .filter(path -> !Requests.isReadable(path))
                .findFirst();
        if (unreadable.isPresent()) {
            return problem(
                    policy,
                    "policy-path-template",
                    "cannot use path " + unreadable.get()
                            + (policy.action() == Action.ALLOW
                                    ? ": the rule never holds"
                                    : ": it counts as not written"),
                    "write {*} for one part of the path and {**} for the rest of it, each between slashes");
        }
        return policy.action() == Action.CUSTOM ? ofCustom(fetch, policy) : Optional.empty();
    }

    private Optional<Problem> ofCustom(Fetch<ObjectKey> fetch, AuthorizationPolicyManifest policy) {
        if (RbacFilters.isDryRun(policy)) {
            return problem(
                    policy,
                    "policy-custom-dry-run",
                    "is not enforced: providers are not asked for a dry run",
                    "delete the annotation istio.io/dry-run");
        }
        if (policy.provider().isEmpty()) {
            return problem(
                    policy,
                    "policy-provider-missing",
                    "names no provider: what its rules match is refused",
                    "set provider.name to one of extensionProviders in the mesh configuration");
        }
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
                    "use one provider for a target");
        }
        if (policy.rules().stream().anyMatch(PolicyProblems::usesTokens)) {
            return problem(
                    policy,
                    "policy-custom-token",
                    "has rules about tokens, which are checked only after providers were asked: they never hold",
                    "let the provider look at the token, or use the action DENY or ALLOW");
        }
        return Optional.empty();
    }

    private SortedSet<String> others(Fetch<ObjectKey> fetch, AuthorizationPolicyManifest policy) {
        var names = new TreeSet<String>();
        for (var anchor : Anchor.of(policy.namespace(), policy.targets())) {
            fetch.all(authorizations, anchor).stream()
                    .filter(other -> other.action() == Action.CUSTOM && !RbacFilters.isDryRun(other))
                    .filter(other -> other.selector().equals(policy.selector()))
                    .map(AuthorizationPolicyManifest::provider)
                    .forEach(names::add);
        }
        names.remove(policy.provider());
        return names;
    }

    private static boolean usesTokens(Rule rule) {
        return rule.when().stream().anyMatch(when -> when.key().startsWith("request.auth."))
                || rule.from().stream()
                        .anyMatch(from -> !from.requestPrincipals().isEmpty()
                                || !from.notRequestPrincipals().isEmpty());
    }

    private static Optional<Problem> problem(
            AuthorizationPolicyManifest policy, String code, String message, String fix) {
        return Optional.of(
                Problem.ofInput(code, "AuthorizationPolicy " + policy.key().path() + " " + message, fix));
    }

    Optional<Problem> ofAuthentication(Fetch<ObjectKey> fetch, RequestAuthenticationManifest policy) {
        return policy.rules().stream()
                .flatMap(rule -> ofRule(fetch, policy, rule).stream())
                .findFirst();
    }

    private Optional<Problem> ofRule(Fetch<ObjectKey> fetch, RequestAuthenticationManifest policy, JwtRule rule) {
        var source = JwksSource.of(rule);
        if (source.isEmpty()) {
            return KeySetJson.isUsable(rule.jwks())
                    ? Optional.empty()
                    : Optional.of(Problem.ofInput(
                            "jwks-unusable",
                            "RequestAuthentication " + policy.key().path() + " has a jwks for issuer " + rule.issuer()
                                    + " that is no key set: tokens of that issuer are refused",
                            "write JSON with a list keys, or set jwksUri"));
        }
        return fetch.one(fetched, source.get())
                .flatMap(state -> state.failure()
                        .map(reason -> new Problem(
                                "jwks-unreachable",
                                "RequestAuthentication " + policy.key().path() + ": the key set of issuer "
                                        + rule.issuer() + " cannot be fetched (" + reason + "): "
                                        + (state.keySet().isPresent()
                                                ? "the last one stays in use"
                                                : "tokens of that issuer are refused"),
                                "check jwksUri, and that the control plane reaches that address",
                                Origin.SERVER,
                                Retry.SENSIBLE)));
    }
}
