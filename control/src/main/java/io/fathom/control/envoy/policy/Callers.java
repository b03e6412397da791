// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import io.envoyproxy.envoy.config.rbac.v3.Principal;
import io.envoyproxy.envoy.config.rbac.v3.SourcedMetadata;
import io.envoyproxy.envoy.type.matcher.v3.FilterStateMatcher;
import io.envoyproxy.envoy.type.matcher.v3.MetadataMatcher;
import io.envoyproxy.envoy.type.matcher.v3.StringMatcher;
import io.fathom.control.envoy.policy.Dialect.Identity;
import io.fathom.model.policy.StringMatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/// Attributes of whoever calls, and of what the request says, each as a principal. Empty where a value cannot be
/// checked. Pure.
final class Callers {
    /// Set where a tunnel ends.
    static final String PEER_PRINCIPAL = "io.istio.peer_principal";

    private static final String SCHEME = "spiffe://";
    private static final Pattern CLAIM = Pattern.compile("\\[([^\\[\\]]+)]");
    private static final Pattern HEADER_NAME = Pattern.compile(":?[!#$%&'*+.^_`|~0-9A-Za-z-]+");

    private final Dialect dialect;
    /// Where accounts without a namespace are.
    private final String namespace;

    Callers(Dialect dialect, String namespace) {
        this.dialect = dialect;
        this.namespace = namespace;
    }

    Optional<Principal> principal(String value) {
        return Optional.of(peer(Matching.after(SCHEME, value)));
    }

    Optional<Principal> namespace(String value) {
        return Optional.of(peer(Matching.regex(".*/ns/" + Matching.quotedWithStars(value) + "/.*")));
    }

    Optional<Principal> serviceAccount(String value) {
        var slash = value.indexOf('/');
        var home = slash < 0 ? namespace : value.substring(0, slash);
        var account = value.substring(slash + 1);
        return Optional.of(peer(Matching.regex(
                SCHEME + ".+/ns/" + Matching.quoted(home) + "/(.+/|)sa/" + Matching.quoted(account) + "(/.+)?")));
    }

    Optional<Principal> trustDomain(String value) {
        return Optional.of(peer(
                switch (StringMatch.parse(value)) {
                    case StringMatch.Presence() -> Matching.regex(SCHEME + "[^/]+/.*");
                    case StringMatch.Exact(var name) -> prefix(SCHEME + name + "/");
                    case StringMatch.Prefix(var begin) -> prefix(SCHEME + begin);
                    case StringMatch.Suffix(var end) -> Matching.regex(SCHEME + "[^/]*" + Matching.quoted(end) + "/.*");
                }));
    }

    /// Of the connection's other end. Behind a tunnel that is an internal address to Envoy; only the deprecated field
    /// means the one that was restored from the tunnel, and nothing that headers say.
    @SuppressWarnings("deprecation")
    Optional<Principal> sourceIp(String value) {
        return Matching.block(value)
                .map(block -> dialect.identity() == Identity.FILTER_STATE
                        ? Principal.newBuilder().setSourceIp(block).build()
                        : Principal.newBuilder().setDirectRemoteIp(block).build());
    }

    /// Of whoever the headers say is behind it.
    Optional<Principal> remoteIp(String value) {
        return Matching.block(value)
                .map(block -> Principal.newBuilder().setRemoteIp(block).build());
    }

    /// `issuer/subject`. A pattern that ends in a star may end inside either part.
    Optional<Principal> requestPrincipal(String value) {
        return http(value, text -> {
            var slash = text.lastIndexOf('/');
            return switch (StringMatch.parse(text)) {
                case StringMatch.Presence() -> token("*", "*");
                case StringMatch.Exact(var _) when slash < 0 -> Clause.PRINCIPALS.not(Clause.PRINCIPALS.always());
                case StringMatch.Exact(var _) -> token(text.substring(0, slash), text.substring(slash + 1));
                case StringMatch.Prefix(var _) when slash < 0 -> token(text, "*");
                case StringMatch.Prefix(var _) ->
                    text.endsWith("/*")
                            ? token(text.substring(0, slash), "*")
                            : Clause.PRINCIPALS.either(List.of(
                                    token(text.substring(0, slash), text.substring(slash + 1)), token(text, "*")));
                case StringMatch.Suffix(var _) when slash < 0 -> token("*", text);
                case StringMatch.Suffix(var _) -> token(text.substring(0, slash), text.substring(slash + 1));
            };
        });
    }

    Optional<Principal> audience(String value) {
        return http(value, text -> metadata(Matching.claim(List.of("aud"), Matching.text(text))));
    }

    Optional<Principal> presenter(String value) {
        return http(value, text -> metadata(Matching.claim(List.of("azp"), Matching.text(text))));
    }

    /// @param key `request.auth.claims[a][b]`
    Optional<Principal> claim(String key, String value) {
        var path = new ArrayList<String>();
        for (var part = CLAIM.matcher(key); part.find(); ) {
            path.add(part.group(1));
        }
        return path.isEmpty()
                ? Optional.empty()
                : http(value, text -> metadata(Matching.claim(path, Matching.text(text))));
    }

    /// @param key `request.headers[name]`
    Optional<Principal> header(String key, String value) {
        var name = key.substring(key.indexOf('[') + 1, key.length() - 1);
        return HEADER_NAME.matcher(name).matches()
                ? http(
                        value,
                        text -> Principal.newBuilder()
                                .setHeader(Matching.header(name, text))
                                .build())
                : Optional.empty();
    }

    private Optional<Principal> http(String value, Function<String, Principal> translate) {
        return dialect.readsHttp() ? Optional.of(translate.apply(value)) : Optional.empty();
    }

    private Principal peer(StringMatcher name) {
        var principal = Principal.newBuilder();
        return dialect.identity() == Identity.FILTER_STATE
                ? principal
                        .setFilterState(FilterStateMatcher.newBuilder()
                                .setKey(PEER_PRINCIPAL)
                                .setStringMatch(name))
                        .build()
                : principal
                        .setAuthenticated(Principal.Authenticated.newBuilder().setPrincipalName(name))
                        .build();
    }

    private static Principal token(String issuer, String subject) {
        return Clause.PRINCIPALS.all(List.of(
                metadata(Matching.textClaim("iss", Matching.text(issuer))),
                metadata(Matching.textClaim("sub", Matching.text(subject)))));
    }

    private static Principal metadata(MetadataMatcher matcher) {
        return Principal.newBuilder()
                .setSourcedMetadata(SourcedMetadata.newBuilder().setMetadataMatcher(matcher))
                .build();
    }

    private static StringMatcher prefix(String text) {
        return StringMatcher.newBuilder().setPrefix(text).build();
    }
}
