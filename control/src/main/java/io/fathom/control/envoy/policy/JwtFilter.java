// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import com.google.protobuf.Empty;
import io.envoyproxy.envoy.config.core.v3.DataSource;
import io.envoyproxy.envoy.config.route.v3.RouteMatch;
import io.envoyproxy.envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication;
import io.envoyproxy.envoy.extensions.filters.http.jwt_authn.v3.JwtClaimToHeader;
import io.envoyproxy.envoy.extensions.filters.http.jwt_authn.v3.JwtHeader;
import io.envoyproxy.envoy.extensions.filters.http.jwt_authn.v3.JwtProvider;
import io.envoyproxy.envoy.extensions.filters.http.jwt_authn.v3.JwtRequirement;
import io.envoyproxy.envoy.extensions.filters.http.jwt_authn.v3.JwtRequirementAndList;
import io.envoyproxy.envoy.extensions.filters.http.jwt_authn.v3.JwtRequirementOrList;
import io.envoyproxy.envoy.extensions.filters.http.jwt_authn.v3.RequirementRule;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.fathom.wire.kube.security.RequestAuthenticationManifest;
import io.fathom.wire.kube.security.RequestAuthenticationManifest.JwtRule;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;

/// RequestAuthentications as one filter: a token must be good if there is one; whether there must be one is for
/// AuthorizationPolicies to say. Pure.
final class JwtFilter {
    private static final List<String> ALWAYS_SPACE_DELIMITED = List.of("permission", "scope");

    private JwtFilter() {}

    /// Empty when nothing is said about tokens.
    static Optional<HttpFilter> of(List<RequestAuthenticationManifest> policies, KeySets keys) {
        var rules = policies.stream()
                .flatMap(policy -> policy.rules().stream())
                .sorted(Comparator.comparing(JwtRule::issuer)) // stable: then by age of the policy
                .toList();
        if (rules.isEmpty()) {
            return Optional.empty();
        }
        var names = new ArrayList<String>();
        var filter = JwtAuthentication.newBuilder().setBypassCorsPreflight(true);
        for (var i = 0; i < rules.size(); i++) {
            var name = "origins-" + i;
            names.add(name);
            filter.putProviders(name, provider(rules.get(i), keys));
        }
        filter.addRules(RequirementRule.newBuilder()
                .setMatch(RouteMatch.newBuilder().setPrefix("/"))
                .setRequires(requirement(names)));
        return Optional.of(PolicyFilters.filter(Matching.JWT_FILTER, filter.build()));
    }

    private static JwtProvider provider(JwtRule rule, KeySets keys) {
        var claims = new LinkedHashSet<>(ALWAYS_SPACE_DELIMITED);
        claims.addAll(rule.spaceDelimitedClaims());
        var provider = JwtProvider.newBuilder()
                .setIssuer(rule.issuer())
                .addAllAudiences(rule.audiences())
                .setForward(rule.forwardToken())
                .setForwardPayloadHeader(rule.payloadHeader())
                .setPayloadInMetadata(Matching.PAYLOAD)
                .setNormalizePayloadInMetadata(
                        JwtProvider.NormalizePayload.newBuilder().addAllSpaceDelimitedClaims(claims))
                .setClearRouteCache(true) // claims may decide about the route
                .addAllFromParams(rule.fromParams())
                .addAllFromCookies(rule.fromCookies())
                .setLocalJwks(DataSource.newBuilder().setInlineString(keySet(rule, keys)));
        rule.fromHeaders()
                .forEach(header -> provider.addFromHeaders(
                        JwtHeader.newBuilder().setName(header.name()).setValuePrefix(header.prefix())));
        rule.claimHeaders()
                .forEach(copy -> provider.addClaimToHeaders(JwtClaimToHeader.newBuilder()
                        .setHeaderName(copy.header())
                        .setClaimName(copy.claim())));
        return provider.build();
    }

    /// Without keys no token is good.
    private static String keySet(JwtRule rule, KeySets keys) {
        if (rule.refusesAll()) {
            return KeySetJson.MATCHES_NOTHING;
        }
        return JwksSource.of(rule)
                .map(source -> keys.find(source).orElse(KeySetJson.MATCHES_NOTHING))
                .orElseGet(() -> KeySetJson.isUsable(rule.jwks()) ? rule.jwks() : KeySetJson.MATCHES_NOTHING);
    }

    /// A good token of anybody, or none at all for everybody. A bad token fails, whoever's it is.
    private static JwtRequirement requirement(List<String> providers) {
        if (providers.size() == 1) {
            return any(List.of(named(providers.getFirst()), missing()));
        }
        var alternatives = new ArrayList<JwtRequirement>();
        providers.forEach(provider -> alternatives.add(named(provider)));
        var absent = providers.stream()
                .map(provider -> any(List.of(named(provider), missing())))
                .toList();
        alternatives.add(JwtRequirement.newBuilder()
                .setRequiresAll(JwtRequirementAndList.newBuilder().addAllRequirements(absent))
                .build());
        return any(alternatives);
    }

    private static JwtRequirement any(List<JwtRequirement> alternatives) {
        return JwtRequirement.newBuilder()
                .setRequiresAny(JwtRequirementOrList.newBuilder().addAllRequirements(alternatives))
                .build();
    }

    private static JwtRequirement named(String provider) {
        return JwtRequirement.newBuilder().setProviderName(provider).build();
    }

    private static JwtRequirement missing() {
        return JwtRequirement.newBuilder()
                .setAllowMissing(Empty.getDefaultInstance())
                .build();
    }
}
