package io.fathom.wire.kube;

import io.fathom.wire.kube.RequestAuthenticationManifest.ClaimHeader;
import io.fathom.wire.kube.RequestAuthenticationManifest.JwtRule;
import io.fathom.wire.kube.RequestAuthenticationManifest.TokenHeader;
import io.fathom.wire.kube.tree.Field;
import java.util.regex.Pattern;

/// Reads RequestAuthentications. Key sets stay as written: whether they can be used is not decided here.
final class RequestAuthenticationReader implements KindReader {
    private static final Pattern HEADER = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

    @Override
    public Manifest read(Metadata metadata, Field object, Interner interner) {
        var spec = object.at("spec");
        return new RequestAuthenticationManifest(
                metadata,
                SelectorReader.workloads(spec.at("selector"), interner),
                TargetRefs.read(spec),
                spec.at("jwtRules").items().stream()
                        .map(RequestAuthenticationReader::rule)
                        .toList());
    }

    private static JwtRule rule(Field rule) {
        // the definition has both spellings
        var uri = rule.at("jwksUri").isPresent() ? rule.at("jwksUri") : rule.at("jwks_uri");
        return new JwtRule(
                rule.at("issuer").requiredText(),
                rule.at("audiences").texts(),
                uri.text(),
                rule.at("jwks").text(),
                rule.at("fromHeaders").items().stream()
                        .map(header -> new TokenHeader(
                                headerName(header.at("name")),
                                header.at("prefix").text()))
                        .toList(),
                rule.at("fromParams").texts(),
                rule.at("fromCookies").texts(),
                rule.at("outputPayloadToHeader").isPresent() ? headerName(rule.at("outputPayloadToHeader")) : "",
                rule.at("forwardOriginalToken").flag(),
                rule.at("outputClaimToHeaders").items().stream()
                        .map(copy -> new ClaimHeader(
                                headerName(copy.at("header")), copy.at("claim").requiredText()))
                        .toList(),
                rule.at("spaceDelimitedClaims").texts(),
                Durations.decimal(rule.at("timeout")));
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
