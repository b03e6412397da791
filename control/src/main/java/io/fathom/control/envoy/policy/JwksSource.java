// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import io.fathom.control.ca.jwt.KeySetDocuments;
import io.fathom.wire.kube.security.RequestAuthenticationManifest.JwtRule;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;

/// Where a key set has to be fetched.
///
/// @param address of the key set itself, or of a discovery document that names it
/// @param timeout for one fetch
public record JwksSource(JwksDocument kind, String address, Duration timeout) implements Comparable<JwksSource> {
    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);
    private static final Comparator<JwksSource> ORDER = Comparator.comparing(JwksSource::address)
            .thenComparing(JwksSource::kind)
            .thenComparing(JwksSource::timeout);

    /// What is at the address.
    public enum JwksDocument {
        KEY_SET,
        /// A document of OpenID that says where the key set is.
        DISCOVERY
    }

    /// Empty for a rule that has its key set with it, or needs none.
    public static Optional<JwksSource> of(JwtRule rule) {
        if (!rule.jwks().isEmpty() || rule.refusesAll()) {
            return Optional.empty();
        }
        var timeout = rule.timeout().orElse(DEFAULT_TIMEOUT);
        if (!rule.jwksUri().isEmpty()) {
            return Optional.of(new JwksSource(JwksDocument.KEY_SET, rule.jwksUri(), timeout));
        }
        return Optional.of(new JwksSource(JwksDocument.DISCOVERY, KeySetDocuments.discovery(rule.issuer()), timeout));
    }

    @Override
    public int compareTo(JwksSource other) {
        return ORDER.compare(this, other);
    }
}
