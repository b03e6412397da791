// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.jwt;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fathom.wire.pki.KeyAlgorithm;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.interfaces.ECPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// Signs tokens of the shape that Kubernetes projects into pods, for a mesh without Kubernetes: bound to a pod, its
/// node and its service account, so that the same checks run there.
public final class LocalIssuer {
    /// What such an issuer calls itself.
    public static final String NAME = "https://fathom.local";

    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

    private final String keyId;
    private final PrivateKey key;
    private final ECPublicKey publicKey;

    /// What a token is for.
    ///
    /// @param node the pod runs on
    public record Binding(
            ServiceAccountName account, String podName, String podUid, String node, List<String> audiences) {
        public Binding {
            audiences = List.copyOf(audiences);
        }
    }

    /// An issuer with a P-256 key; whoever has the same key verifies and issues the same tokens.
    public LocalIssuer(KeyPair keys) {
        this.key = keys.getPrivate();
        this.publicKey = (ECPublicKey) keys.getPublic();
        this.keyId = UUID.nameUUIDFromBytes(publicKey.getEncoded()).toString();
    }

    public static LocalIssuer create() {
        return new LocalIssuer(KeyAlgorithm.P256.generate());
    }

    /// A signed token. Whoever holds it is taken for the pod.
    public String token(Binding binding, Duration lifetime, Instant now) {
        var header = Json.object().put("alg", "ES256").put("kid", keyId);
        var signed = part(header) + "." + part(claims(binding, lifetime, now));
        return signed + "." + BASE64.encodeToString(signature(signed));
    }

    private static ObjectNode claims(Binding binding, Duration lifetime, Instant now) {
        var claims = Json.object();
        var audiences = claims.putArray("aud");
        binding.audiences().forEach(audiences::add);
        claims.put("exp", now.plus(lifetime).getEpochSecond())
                .put("iat", now.getEpochSecond())
                .put("iss", NAME)
                .put("jti", UUID.randomUUID().toString());
        var bound = claims.putObject("kubernetes.io")
                .put("namespace", binding.account().namespace());
        bound.putObject("node").put("name", binding.node()).put("uid", stable("node", binding.node()));
        bound.putObject("pod").put("name", binding.podName()).put("uid", binding.podUid());
        bound.putObject("serviceaccount")
                .put("name", binding.account().name())
                .put("uid", stable("account", binding.account().user()));
        return claims.put("nbf", now.getEpochSecond())
                .put("sub", binding.account().user());
    }

    /// Nodes and accounts have no uid without Kubernetes: the name makes one that stays.
    private static String stable(String kind, String name) {
        return UUID.nameUUIDFromBytes((kind + "/" + name).getBytes(StandardCharsets.UTF_8))
                .toString();
    }

    private static String part(ObjectNode node) {
        return BASE64.encodeToString(Json.bytes(node));
    }

    private byte[] signature(String signed) {
        try {
            var signer = SignatureAlgorithm.ES256.signature();
            signer.initSign(key);
            signer.update(signed.getBytes(StandardCharsets.US_ASCII));
            return signer.sign();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK signs with P-256", e);
        }
    }

    /// What verifies the tokens.
    public IssuerKeys keys() {
        return IssuerKeys.fixed(
                List.of(new JsonWebKey(Optional.of(keyId), Set.of(SignatureAlgorithm.ES256), publicKey)));
    }

    /// The same as a JSON web key set.
    public String keySet() {
        return JsonWebKey.set(keyId, publicKey);
    }
}
