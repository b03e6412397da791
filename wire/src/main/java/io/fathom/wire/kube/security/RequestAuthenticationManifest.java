// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.security;

import io.fathom.wire.kube.manifest.Damage;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.PolicyTarget;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A RequestAuthentication: which tokens proxies accept, and what becomes of them.
///
/// @param selector empty when the policy has none; present but without labels when it selects nothing in particular
/// @param damage what it is if it could not be read as written; then the other components are what is in force
public record RequestAuthenticationManifest(
        Metadata metadata,
        Optional<Map<String, String>> selector,
        List<PolicyTarget> targets,
        List<JwtRule> rules,
        Optional<Damage> damage)
        implements Manifest {

    /// Tokens of one issuer. Lists and texts are empty where nothing is said.
    ///
    /// @param issuer empty for a rule that could not be read: no token is good where it looks for them
    /// @param jwks the key set itself
    /// @param jwksUri where the key set is; without it and `jwks`, the issuer's discovery document tells
    /// @param payloadHeader gets the verified payload
    /// @param forwardToken whether the application sees the token
    /// @param spaceDelimitedClaims whose text is a list of words
    /// @param timeout how long fetching the key set may take
    public record JwtRule(
            String issuer,
            List<String> audiences,
            String jwksUri,
            String jwks,
            List<TokenHeader> fromHeaders,
            List<String> fromParams,
            List<String> fromCookies,
            String payloadHeader,
            boolean forwardToken,
            List<ClaimHeader> claimHeaders,
            List<String> spaceDelimitedClaims,
            Optional<Duration> timeout) {
        public JwtRule {
            audiences = List.copyOf(audiences);
            fromHeaders = List.copyOf(fromHeaders);
            fromParams = List.copyOf(fromParams);
            fromCookies = List.copyOf(fromCookies);
            claimHeaders = List.copyOf(claimHeaders);
            spaceDelimitedClaims = List.copyOf(spaceDelimitedClaims);
        }

        /// Whether it accepts no token, because it could not be read.
        public boolean refusesAll() {
            return issuer.isEmpty();
        }
    }

    /// A header that tokens come in, after a prefix that may be empty.
    public record TokenHeader(String name, String prefix) {}

    /// A header that a claim is copied to.
    public record ClaimHeader(String header, String claim) {}

    public RequestAuthenticationManifest {
        selector = selector.map(Map::copyOf);
        targets = List.copyOf(targets);
        rules = List.copyOf(rules);
    }

    @Override
    public boolean protects() {
        return true;
    }
}
