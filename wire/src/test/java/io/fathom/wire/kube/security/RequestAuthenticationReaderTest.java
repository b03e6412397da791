// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.wire.kube.Reads;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.PolicyTarget;
import io.fathom.wire.kube.security.RequestAuthenticationManifest.ClaimHeader;
import io.fathom.wire.kube.security.RequestAuthenticationManifest.TokenHeader;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RequestAuthenticationReaderTest {
    @Test
    void thenEverythingIsRead() {
        var policy = Reads.one(RequestAuthenticationManifest.class, """
                apiVersion: security.istio.io/v1
                kind: RequestAuthentication
                metadata: {name: a, namespace: shop}
                spec:
                  targetRefs: [{kind: Service, group: "", name: web}]
                  jwtRules:
                  - issuer: https://issuer.example
                    audiences: [one, two]
                    jwksUri: https://issuer.example/keys
                    fromHeaders: [{name: x-token, prefix: "Token "}, {name: other}]
                    fromParams: [token]
                    fromCookies: [session]
                    outputPayloadToHeader: x-payload
                    forwardOriginalToken: true
                    outputClaimToHeaders: [{header: x-sub, claim: sub}]
                    spaceDelimitedClaims: [groups]
                    timeout: 0.25s
                  - issuer: other
                    jwks: '{"keys": []}'
                  - {issuer: third, jwks_uri: http://third/keys}
                """);

        assertThat(policy.selector()).isEmpty();
        assertThat(policy.targets()).containsExactly(new PolicyTarget("", "Service", "web"));
        var rule = policy.rules().getFirst();
        assertThat(rule.issuer()).isEqualTo("https://issuer.example");
        assertThat(rule.audiences()).containsExactly("one", "two");
        assertThat(rule.jwksUri()).isEqualTo("https://issuer.example/keys");
        assertThat(rule.fromHeaders())
                .containsExactly(new TokenHeader("x-token", "Token "), new TokenHeader("other", ""));
        assertThat(rule.fromParams()).containsExactly("token");
        assertThat(rule.fromCookies()).containsExactly("session");
        assertThat(rule.payloadHeader()).isEqualTo("x-payload");
        assertThat(rule.forwardToken()).isTrue();
        assertThat(rule.claimHeaders()).containsExactly(new ClaimHeader("x-sub", "sub"));
        assertThat(rule.spaceDelimitedClaims()).containsExactly("groups");
        assertThat(rule.timeout()).hasValue(Duration.ofMillis(250));
        assertThat(policy.rules().get(1).jwks()).isEqualTo("{\"keys\": []}");
        assertThat(policy.rules().get(1).timeout()).isEmpty();
        assertThat(policy.rules().get(2).jwksUri()).isEqualTo("http://third/keys");
    }

    @Test
    void givenARuleWithoutIssuer_thenItsFieldIsNamed() {
        var problem = Reads.problem("""
                apiVersion: security.istio.io/v1
                kind: RequestAuthentication
                metadata: {name: a}
                spec: {jwtRules: [{jwksUri: https://x}]}
                """);

        assertThat(problem.field()).isEqualTo("spec.jwtRules[0].issuer");
    }

    @Test
    void givenABadHeader_thenItsFieldIsNamed() {
        var problem = Reads.problem("""
                apiVersion: security.istio.io/v1
                kind: RequestAuthentication
                metadata: {name: a}
                spec: {jwtRules: [{issuer: i, outputClaimToHeaders: [{header: "a b", claim: c}]}]}
                """);

        assertThat(problem.field()).isEqualTo("spec.jwtRules[0].outputClaimToHeaders[0].header");
    }
}
