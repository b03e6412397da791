// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.jwt;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// What a token says after its signature, issuer, audience and times were found right.
///
/// @param pod the pod the token is bound to, and the node if that is told
public record VerifiedToken(
        String subject,
        Set<String> audiences,
        Instant expires,
        Optional<ServiceAccountName> account,
        Optional<TokenPod> pod) {
    /// A token is worth nothing once this pod is gone.
    public record TokenPod(String name, String uid, Optional<String> node) {}

    public VerifiedToken {
        audiences = Set.copyOf(audiences);
    }

    static VerifiedToken of(JsonNode claims, Instant expires) {
        var subject = Json.text(claims, "sub").orElse("");
        var account = ServiceAccountName.parse(subject);
        return new VerifiedToken(
                subject, audiences(claims), expires, account, account.flatMap(name -> pod(claims, name)));
    }

    static Set<String> audiences(JsonNode claims) {
        var audience = claims.path("aud");
        var texts = new LinkedHashSet<String>();
        (audience.isArray() ? audience.valueStream() : Stream.of(audience))
                .filter(JsonNode::isTextual)
                .forEach(each -> texts.add(each.textValue()));
        return texts;
    }

    /// Only if the claims of Kubernetes speak of the same account as the subject.
    private static Optional<TokenPod> pod(JsonNode claims, ServiceAccountName account) {
        var bound = claims.path("kubernetes.io");
        if (!Json.text(bound, "namespace").equals(Optional.of(account.namespace()))
                || !Json.text(bound.path("serviceaccount"), "name").equals(Optional.of(account.name()))) {
            return Optional.empty();
        }
        var name = Json.text(bound.path("pod"), "name");
        var uid = Json.text(bound.path("pod"), "uid");
        return name.isPresent() && uid.isPresent()
                ? Optional.of(new TokenPod(name.get(), uid.get(), Json.text(bound.path("node"), "name")))
                : Optional.empty();
    }
}
