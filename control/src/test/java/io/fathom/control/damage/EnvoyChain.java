// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.damage;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import io.envoyproxy.envoy.config.core.v3.CidrRange;
import io.envoyproxy.envoy.config.rbac.v3.Permission;
import io.envoyproxy.envoy.config.rbac.v3.Policy;
import io.envoyproxy.envoy.config.rbac.v3.Principal;
import io.envoyproxy.envoy.config.rbac.v3.RBAC;
import io.envoyproxy.envoy.config.route.v3.HeaderMatcher;
import io.envoyproxy.envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication;
import io.envoyproxy.envoy.extensions.filters.http.jwt_authn.v3.JwtProvider;
import io.envoyproxy.envoy.extensions.filters.http.jwt_authn.v3.JwtRequirement;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.envoyproxy.envoy.type.matcher.v3.MetadataMatcher;
import io.envoyproxy.envoy.type.matcher.v3.StringMatcher;
import io.fathom.model.mesh.IpBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/// What Envoy does with a request, by the filters that policies became: as far as they are used.
final class EnvoyChain {
    private static final Map<String, Pattern> PATTERNS = new ConcurrentHashMap<>(); // workers share it

    /// What somebody who is asked says.
    enum Providers {
        AGREE,
        REFUSE
    }

    private final List<Object> filters = new ArrayList<>();

    EnvoyChain(List<HttpFilter> filters) {
        filters.forEach(filter -> this.filters.add(unpack(filter.getName(), filter.getTypedConfig())));
    }

    private static Object unpack(String name, Any config) {
        try {
            return switch (name) {
                case "envoy.filters.http.rbac" ->
                    config.unpack(io.envoyproxy.envoy.extensions.filters.http.rbac.v3.RBAC.class);
                case "envoy.filters.http.jwt_authn" -> config.unpack(JwtAuthentication.class);
                default -> name;
            };
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
    }

    boolean allows(HttpRequest request, Providers providers) {
        Optional<HttpRequest.Token> verified = Optional.empty();
        var asked = false;
        for (var filter : filters) {
            switch (filter) {
                case io.envoyproxy.envoy.extensions.filters.http.rbac.v3.RBAC rbac -> {
                    if (rbac.getShadowRulesStatPrefix().startsWith("istio_ext_authz_")) {
                        asked = matches(rbac.getShadowRules(), request, verified);
                    }
                    if (rbac.hasRules() && !allows(rbac.getRules(), request, verified)) {
                        return false;
                    }
                }
                case JwtAuthentication jwt -> {
                    var requirement = jwt.getRules(0).getRequires();
                    if (!holds(requirement, jwt, request)) {
                        return false;
                    }
                    verified = request.token()
                            .filter(_ -> jwt.getProvidersMap().values().stream()
                                    .anyMatch(provider -> verify(provider, request) == Outcome.GOOD));
                }
                default -> {
                    if (asked && providers == Providers.REFUSE) {
                        return false;
                    }
                }
            }
        }
        return true;
    }

    private static boolean allows(RBAC rules, HttpRequest request, Optional<HttpRequest.Token> token) {
        return switch (rules.getAction()) {
            case ALLOW -> matches(rules, request, token);
            case DENY -> !matches(rules, request, token);
            default -> true;
        };
    }

    private static boolean matches(RBAC rules, HttpRequest request, Optional<HttpRequest.Token> token) {
        for (var policy : rules.getPoliciesMap().values()) {
            if (matches(policy, request, token)) {
                return true;
            }
        }
        return false;
    }

    private static boolean matches(Policy policy, HttpRequest request, Optional<HttpRequest.Token> token) {
        return policy.getPermissionsList().stream().anyMatch(permission -> holds(permission, request))
                && policy.getPrincipalsList().stream().anyMatch(principal -> holds(principal, request, token));
    }

    private static boolean holds(Permission permission, HttpRequest request) {
        return switch (permission.getRuleCase()) {
            case ANY -> true;
            case AND_RULES -> permission.getAndRules().getRulesList().stream().allMatch(one -> holds(one, request));
            case OR_RULES -> permission.getOrRules().getRulesList().stream().anyMatch(one -> holds(one, request));
            case NOT_RULE -> !holds(permission.getNotRule(), request);
            case HEADER -> holds(permission.getHeader(), request);
            case URL_PATH -> holds(permission.getUrlPath().getPath(), request.path());
            case DESTINATION_PORT -> permission.getDestinationPort() == request.port();
            default -> throw new AssertionError("unknown " + permission);
        };
    }

    @SuppressWarnings("deprecation")
    private static boolean holds(Principal principal, HttpRequest request, Optional<HttpRequest.Token> token) {
        return switch (principal.getIdentifierCase()) {
            case ANY -> true;
            case AND_IDS -> principal.getAndIds().getIdsList().stream().allMatch(one -> holds(one, request, token));
            case OR_IDS -> principal.getOrIds().getIdsList().stream().anyMatch(one -> holds(one, request, token));
            case NOT_ID -> !holds(principal.getNotId(), request, token);
            case FILTER_STATE ->
                request.peer().isPresent()
                        && holds(
                                principal.getFilterState().getStringMatch(),
                                request.peer().get());
            case AUTHENTICATED ->
                request.peer().isPresent()
                        && holds(
                                principal.getAuthenticated().getPrincipalName(),
                                request.peer().get());
            case SOURCE_IP -> contains(principal.getSourceIp(), request);
            case DIRECT_REMOTE_IP -> contains(principal.getDirectRemoteIp(), request);
            case REMOTE_IP -> contains(principal.getRemoteIp(), request);
            case HEADER -> holds(principal.getHeader(), request);
            case SOURCED_METADATA -> holds(principal.getSourcedMetadata().getMetadataMatcher(), token);
            default -> throw new AssertionError("unknown " + principal);
        };
    }

    private static boolean holds(MetadataMatcher matcher, Optional<HttpRequest.Token> token) {
        return token.isPresent()
                && holds(
                        matcher.getValue().getStringMatch(),
                        switch (matcher.getPath(1).getKey()) {
                            case "iss" -> token.get().issuer();
                            case "sub" -> token.get().subject();
                            default -> throw new AssertionError("unknown " + matcher);
                        });
    }

    private static boolean holds(HeaderMatcher matcher, HttpRequest request) {
        var value = request.header(matcher.getName());
        return value.isPresent()
                && (matcher.getHeaderMatchSpecifierCase() == HeaderMatcher.HeaderMatchSpecifierCase.PRESENT_MATCH
                        || holds(matcher.getStringMatch(), value.get()));
    }

    private static boolean holds(StringMatcher matcher, String text) {
        return switch (matcher.getMatchPatternCase()) {
            case EXACT -> text.equals(matcher.getExact());
            case PREFIX -> text.startsWith(matcher.getPrefix());
            case SUFFIX -> text.endsWith(matcher.getSuffix());
            case SAFE_REGEX ->
                PATTERNS.computeIfAbsent(matcher.getSafeRegex().getRegex(), Pattern::compile)
                        .matcher(text)
                        .matches();
            default -> throw new AssertionError("unknown " + matcher);
        };
    }

    private static boolean contains(CidrRange range, HttpRequest request) {
        return IpBlock.parse(
                        range.getAddressPrefix() + "/" + range.getPrefixLen().getValue())
                .orElseThrow()
                .masked()
                .contains(request.ip());
    }

    private enum Outcome {
        MISSING,
        GOOD,
        BAD
    }

    private static boolean holds(JwtRequirement requirement, JwtAuthentication jwt, HttpRequest request) {
        return switch (requirement.getRequiresTypeCase()) {
            case PROVIDER_NAME ->
                verify(jwt.getProvidersOrThrow(requirement.getProviderName()), request) == Outcome.GOOD;
            case REQUIRES_ALL ->
                requirement.getRequiresAll().getRequirementsList().stream().allMatch(one -> holds(one, jwt, request));
            case REQUIRES_ANY -> {
                var all = requirement.getRequiresAny().getRequirementsList();
                var missing = all.stream().anyMatch(JwtRequirement::hasAllowMissing)
                        && all.stream()
                                .filter(one ->
                                        one.getRequiresTypeCase() == JwtRequirement.RequiresTypeCase.PROVIDER_NAME)
                                .allMatch(one -> verify(jwt.getProvidersOrThrow(one.getProviderName()), request)
                                        == Outcome.MISSING);
                yield missing
                        || all.stream().filter(one -> !one.hasAllowMissing()).anyMatch(one -> holds(one, jwt, request));
            }
            default -> throw new AssertionError("unknown " + requirement);
        };
    }

    private static Outcome verify(JwtProvider provider, HttpRequest request) {
        var places = provider.getFromHeadersList().stream()
                .map(header -> header.getName())
                .toList();
        var token = request.token()
                .filter(found ->
                        places.isEmpty() ? found.header().equals("Authorization") : places.contains(found.header()));
        if (token.isEmpty()) {
            return Outcome.MISSING;
        }
        var good = (provider.getIssuer().isEmpty()
                        || provider.getIssuer().equals(token.get().issuer()))
                && provider.getLocalJwks()
                        .getInlineString()
                        .contains("\"kid\": \"" + token.get().issuer() + "\"");
        return good ? Outcome.GOOD : Outcome.BAD;
    }
}
