// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.security;

import io.fathom.wire.kube.manifest.Damage;
import io.fathom.wire.kube.manifest.Durations;
import io.fathom.wire.kube.manifest.ExactFields;
import io.fathom.wire.kube.manifest.Interner;
import io.fathom.wire.kube.manifest.KindReader;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.Mistakes;
import io.fathom.wire.kube.security.RequestAuthenticationManifest.ClaimHeader;
import io.fathom.wire.kube.security.RequestAuthenticationManifest.JwtRule;
import io.fathom.wire.kube.security.RequestAuthenticationManifest.TokenHeader;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Tree;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Reads RequestAuthentications, exactly. Key sets stay as written: whether they can be used is not decided here. A
/// rule that cannot be read accepts no token.
public final class RequestAuthenticationReader implements KindReader {
    private static final Set<String> SPEC = Set.of("selector", "targetRef", "targetRefs", "jwtRules");
    private static final Set<String> RULE = Set.of(
            "issuer",
            "audiences",
            "jwksUri",
            "jwks_uri",
            "jwks",
            "fromHeaders",
            "fromParams",
            "fromCookies",
            "outputPayloadToHeader",
            "forwardOriginalToken",
            "outputClaimToHeaders",
            "spaceDelimitedClaims",
            "timeout");
    private static final Set<String> TOKEN_HEADER = Set.of("name", "prefix");
    private static final Set<String> CLAIM_HEADER = Set.of("header", "claim");
    private static final Pattern HEADER = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
    /// Where proxies look for tokens when a rule does not say.
    private static final TokenHeader DEFAULT_HEADER = new TokenHeader("Authorization", "Bearer ");

    private static final String DEFAULT_PARAM = "access_token";

    @Override
    public Manifest read(Metadata metadata, Field object, Interner interner) {
        var spec = ExactFields.spec(object, SPEC);
        var reach = PolicyReach.read(spec, interner);
        return new RequestAuthenticationManifest(
                metadata,
                reach.selector(),
                reach.targets(),
                spec.at("jwtRules").items().stream()
                        .map(RequestAuthenticationReader::rule)
                        .toList(),
                Optional.empty());
    }

    @Override
    public boolean protects() {
        return true;
    }

    @Override
    public Optional<Manifest> readDamaged(Metadata metadata, Field object, Mistakes mistakes, Interner interner) {
        var parts = new DamagedParts(object, mistakes, SPEC);
        var spec = object.at("spec");
        var reach = PolicyReach.readDamaged(parts, spec, interner);
        var list = spec.tree() instanceof Tree.Mapping && spec.at("jwtRules").isList()
                ? spec.at("jwtRules").items()
                : List.<Field>of();
        var doubtful = reach.isEmpty() || parts.mayLack() || parts.hasDoubtfulMetadata();
        var rules = new ArrayList<JwtRule>();
        for (var rule : list) {
            var read = doubtful ? Optional.<JwtRule>empty() : parts.read(rule, RequestAuthenticationReader::rule);
            rules.add(read.orElseGet(() -> refusing(parts, rule)));
        }
        if (doubtful || !spec.at("jwtRules").isList()) {
            rules.add(refusing(parts, spec));
        }
        var all = rules.stream().allMatch(JwtRule::refusesAll);
        return Optional.of(new RequestAuthenticationManifest(
                metadata,
                reach.flatMap(PolicyReach::selector),
                reach.map(PolicyReach::targets).orElse(List.of()),
                rules,
                Optional.of(new Damage(
                        reach.isPresent() ? Damage.Reach.AS_WRITTEN : Damage.Reach.ALL_OF_NAMESPACE,
                        (all ? "accepts no token" : "accepts no token of the rules that cannot be read")
                                + (reach.isPresent()
                                        ? ""
                                        : " in all of namespace "
                                                + metadata.key().namespace())))));
    }

    /// It finds tokens in each place that can be read and where they are by default. The headers that it would fill
    /// stay its own, so that no client can fill them.
    private static JwtRule refusing(DamagedParts parts, Field rule) {
        var headers = new ArrayList<>(List.of(DEFAULT_HEADER));
        headers.addAll(readable(parts, rule, "fromHeaders", RequestAuthenticationReader::tokenHeader));
        var params = new ArrayList<>(List.of(DEFAULT_PARAM));
        params.addAll(readable(parts, rule, "fromParams", Field::requiredText));
        return new JwtRule(
                "",
                List.of(),
                "",
                "",
                headers.stream().distinct().toList(),
                params.stream().distinct().toList(),
                readable(parts, rule, "fromCookies", Field::requiredText),
                payloadHeader(parts, rule),
                false,
                readable(parts, rule, "outputClaimToHeaders", RequestAuthenticationReader::claimHeader),
                List.of(),
                Optional.empty());
    }

    private static String payloadHeader(DamagedParts parts, Field rule) {
        return rule.tree() instanceof Tree.Mapping
                        && rule.at("outputPayloadToHeader").isPresent()
                ? parts.read(rule.at("outputPayloadToHeader"), RequestAuthenticationReader::headerName)
                        .orElse("")
                : "";
    }

    private static <T> List<T> readable(DamagedParts parts, Field rule, String key, Function<Field, T> place) {
        return rule.tree() instanceof Tree.Mapping && rule.at(key).isList()
                ? rule.at(key).items().stream()
                        .flatMap(item -> parts.read(item, place).stream())
                        .toList()
                : List.of();
    }

    private static JwtRule rule(Field rule) {
        ExactFields.requiredMap(rule, RULE);
        if (Stream.of("jwks", "jwksUri", "jwks_uri")
                        .filter(key -> rule.at(key).isPresent())
                        .count()
                > 1) {
            throw rule.at("jwks")
                    .wrong("manifest-bad-value", "cannot be used together with jwksUri", "keep one of them");
        }
        // the definition has both spellings
        var uri = rule.at("jwksUri").isPresent() ? rule.at("jwksUri") : rule.at("jwks_uri");
        return new JwtRule(
                rule.at("issuer").requiredText(),
                texts(rule.at("audiences")),
                uri.text(),
                rule.at("jwks").text(),
                rule.at("fromHeaders").items().stream()
                        .map(RequestAuthenticationReader::tokenHeader)
                        .toList(),
                texts(rule.at("fromParams")),
                texts(rule.at("fromCookies")),
                rule.at("outputPayloadToHeader").isPresent() ? headerName(rule.at("outputPayloadToHeader")) : "",
                rule.at("forwardOriginalToken").flag(),
                rule.at("outputClaimToHeaders").items().stream()
                        .map(RequestAuthenticationReader::claimHeader)
                        .toList(),
                texts(rule.at("spaceDelimitedClaims")),
                Durations.decimal(rule.at("timeout")));
    }

    private static TokenHeader tokenHeader(Field header) {
        ExactFields.requiredMap(header, TOKEN_HEADER);
        return new TokenHeader(
                headerName(header.at("name")), header.at("prefix").text());
    }

    private static ClaimHeader claimHeader(Field copy) {
        ExactFields.requiredMap(copy, CLAIM_HEADER);
        return new ClaimHeader(headerName(copy.at("header")), copy.at("claim").requiredText());
    }

    private static List<String> texts(Field list) {
        return list.items().stream().map(Field::requiredText).toList();
    }

    /// Proxies refuse everything that has a bad one in it.
    private static String headerName(Field field) {
        var name = field.requiredText();
        if (!HEADER.matcher(name).matches()) {
            throw field.wrong(
                    "manifest-bad-value",
                    "is \"" + name + "\", which is no name of a header",
                    "write letters, digits and hyphens");
        }
        return name;
    }
}
