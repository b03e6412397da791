// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import io.envoyproxy.envoy.config.listener.v3.Filter;
import io.envoyproxy.envoy.config.rbac.v3.RBAC;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.fathom.control.envoy.policy.PolicySettings.CustomProviders;
import io.fathom.control.envoy.policy.RbacFilters.Rules;
import io.fathom.control.envoy.view.ClusterName;
import io.fathom.control.envoy.view.Destinations;
import io.fathom.control.envoy.view.ProxyGroup;
import io.fathom.wire.kube.meshconfig.ExtAuthzProvider;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Action;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The policies that somebody else decides about. Rules are only looked at (shadow rules), and where one holds, the
/// provider is asked. What a provider that cannot be asked would decide about is refused. Pure.
final class CustomFilters {
    private static final String NAMES = "istio-ext-authz-";
    private static final String BAD = "-deny-due-to-bad-CUSTOM-action";
    private static final String PREFIX = "istio_ext_authz_";

    private final Dialect dialect;
    private final ProxyGroup group;
    private final PolicySettings settings;
    private final Destinations destinations;

    CustomFilters(Dialect dialect, ProxyGroup group, PolicySettings settings, Destinations destinations) {
        this.dialect = dialect;
        this.group = group;
        this.settings = settings;
        this.destinations = destinations;
    }

    /// What asks one provider.
    ///
    /// @param prefix of the metadata that says which rule held
    private record Question(RBAC rules, String prefix, ExtAuthzFilter filter) {}

    private record Questions(List<Question> asked, Optional<RBAC> refused) {}

    List<HttpFilter> http(AppliedPolicies policies, Set<ClusterName> clusters) {
        var filters = new ArrayList<HttpFilter>();
        var questions = questions(policies);
        questions
                .refused()
                .ifPresent(rules -> filters.add(Rules.enforcing(rules).http()));
        for (var question : questions.asked()) {
            filters.add(Rules.trying(question.rules(), question.prefix()).http());
            filters.add(PolicyFilters.filter(
                    ExtAuthzFilter.HTTP_FILTER, question.filter().http(question.prefix(), NAMES)));
            clusters.add(question.filter().cluster());
        }
        return filters;
    }

    /// Only providers that are asked by gRPC can decide about bytes; others are not asked.
    List<Filter> tcp(AppliedPolicies policies, Set<ClusterName> clusters) {
        var filters = new ArrayList<Filter>();
        var questions = questions(policies);
        questions
                .refused()
                .ifPresent(rules -> filters.add(Rules.enforcing(rules).tcp()));
        for (var question : questions.asked()) {
            if (question.filter().provider().http().isEmpty()) {
                filters.add(Rules.trying(question.rules(), question.prefix()).tcp());
                filters.add(PolicyFilters.networkFilter(
                        ExtAuthzFilter.NETWORK_FILTER, question.filter().tcp(question.prefix(), NAMES)));
                clusters.add(question.filter().cluster());
            }
        }
        return filters;
    }

    private Questions questions(AppliedPolicies policies) {
        var byProvider = new LinkedHashMap<String, List<AuthorizationPolicyManifest>>();
        policies.of(Action.CUSTOM)
                .filter(policy -> !RbacFilters.isDryRun(policy)) // nobody is asked for a trial
                .forEach(policy -> byProvider
                        .computeIfAbsent(policy.provider(), _ -> new ArrayList<>())
                        .add(policy));
        var tooMany = byProvider.size() > 1 && settings.customProviders() == CustomProviders.ONE;
        var refused = RBAC.newBuilder().setAction(RBAC.Action.DENY);
        var asked = new ArrayList<Question>();
        for (var entry : byProvider.entrySet()) {
            var filter = tooMany ? Optional.<ExtAuthzFilter>empty() : filter(entry.getKey());
            if (filter.isPresent()) {
                asked.add(question(entry, filter.get(), byProvider.size() == 1 ? "" : entry.getKey() + "_"));
            } else {
                entry.getValue()
                        .forEach(policy -> RbacFilters.write(policy, dialect, before(entry.getKey()), BAD, refused));
            }
        }
        return new Questions(asked, Optional.of(refused.build()).filter(rules -> rules.getPoliciesCount() > 0));
    }

    private Question question(
            Map.Entry<String, List<AuthorizationPolicyManifest>> entry, ExtAuthzFilter filter, String prefix) {
        var rules = RBAC.newBuilder().setAction(RBAC.Action.DENY);
        entry.getValue().forEach(policy -> RbacFilters.write(policy, dialect, before(entry.getKey()), "", rules));
        return new Question(rules.build(), PREFIX + prefix, filter);
    }

    private static String before(String provider) {
        return NAMES + provider + "-";
    }

    /// Empty when there is no such provider, or its service is not there.
    private Optional<ExtAuthzFilter> filter(String name) {
        return settings.provider(name)
                .filter(ExtAuthzProvider.class::isInstance)
                .map(ExtAuthzProvider.class::cast)
                .flatMap(provider -> {
                    var slash = provider.service().indexOf('/');
                    var namespace =
                            slash < 0 ? group.namespace() : provider.service().substring(0, slash);
                    return destinations
                            .host(namespace, provider.service().substring(slash + 1))
                            .filter(service -> service.port(provider.port()).isPresent())
                            .map(service -> new ExtAuthzFilter(
                                    provider, ClusterName.outbound(provider.port(), "", service.hostname())));
                });
    }
}
