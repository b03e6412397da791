// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import com.google.protobuf.Empty;
import io.envoyproxy.envoy.config.core.v3.DataSource;
import io.envoyproxy.envoy.config.route.v3.RouteMatch;
import io.envoyproxy.envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication;
import io.envoyproxy.envoy.extensions.filters.http.jwt_authn.v3.JwtProvider;
import io.envoyproxy.envoy.extensions.filters.http.jwt_authn.v3.JwtRequirement;
import io.envoyproxy.envoy.extensions.filters.http.jwt_authn.v3.JwtRequirementOrList;
import io.envoyproxy.envoy.extensions.filters.http.jwt_authn.v3.RequirementRule;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.util.Arrays;
import java.util.Base64;

/// Issues tokens, and makes the filter that believes them.
final class Tokens {
    private final KeyPair keys;

    Tokens() throws GeneralSecurityException {
        var generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        keys = generator.generateKeyPair();
    }

    /// @param claims as JSON, without braces
    String issue(String claims) throws GeneralSecurityException {
        var text = encoded("{\"alg\":\"RS256\",\"kid\":\"k\"}") + "."
                + encoded("{\"iss\":\"tests\",\"exp\":4102444800," + claims + "}");
        var signature = Signature.getInstance("SHA256withRSA");
        signature.initSign(keys.getPrivate());
        signature.update(text.getBytes(StandardCharsets.US_ASCII));
        return text + "." + encoded(signature.sign());
    }

    /// Lets requests without token pass.
    JwtAuthentication filter() {
        var key = (RSAPublicKey) keys.getPublic();
        var set = "{\"keys\":[{\"kty\":\"RSA\",\"kid\":\"k\",\"alg\":\"RS256\",\"n\":\"%s\",\"e\":\"%s\"}]}"
                .formatted(encoded(bytes(key.getModulus())), encoded(bytes(key.getPublicExponent())));
        var known = JwtRequirement.newBuilder().setProviderName("tests");
        var missing = JwtRequirement.newBuilder().setAllowMissing(Empty.getDefaultInstance());
        return JwtAuthentication.newBuilder()
                .putProviders(
                        "tests",
                        JwtProvider.newBuilder()
                                .setIssuer("tests")
                                .setPayloadInMetadata("payload")
                                .setClearRouteCache(true)
                                .setLocalJwks(DataSource.newBuilder().setInlineString(set))
                                .build())
                .addRules(RequirementRule.newBuilder()
                        .setMatch(RouteMatch.newBuilder().setPrefix("/"))
                        .setRequires(JwtRequirement.newBuilder()
                                .setRequiresAny(JwtRequirementOrList.newBuilder()
                                        .addRequirements(known)
                                        .addRequirements(missing))))
                .build();
    }

    private static byte[] bytes(BigInteger number) {
        var bytes = number.toByteArray();
        return bytes[0] == 0 ? Arrays.copyOfRange(bytes, 1, bytes.length) : bytes;
    }

    private static String encoded(String text) {
        return encoded(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String encoded(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
