// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.jwt;

import java.security.GeneralSecurityException;
import java.security.Signature;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/// What tokens may be signed with. Symmetric algorithms and `none` are no way to prove anything to many.
public enum SignatureAlgorithm {
    RS256("SHA256withRSA"),
    RS384("SHA384withRSA"),
    RS512("SHA512withRSA"),
    PS256("SHA-256", 32),
    PS384("SHA-384", 48),
    PS512("SHA-512", 64),
    ES256("SHA256withECDSAinP1363Format"),
    ES384("SHA384withECDSAinP1363Format"),
    ES512("SHA512withECDSAinP1363Format"),
    EDDSA("EdDSA");

    /// What an RSA key may sign with if its key set does not say.
    static final Set<SignatureAlgorithm> OF_RSA = Set.copyOf(EnumSet.range(RS256, PS512));

    private final String name;
    private final String digest; // of RSASSA-PSS
    private final int salt;

    SignatureAlgorithm(String name) {
        this.name = name;
        this.digest = "";
        this.salt = 0;
    }

    SignatureAlgorithm(String digest, int salt) {
        this.name = "RSASSA-PSS";
        this.digest = digest;
        this.salt = salt;
    }

    /// Of the name that headers of tokens and key sets use; empty for all that we do not verify.
    static Optional<SignatureAlgorithm> parse(String name) {
        return switch (name) {
            case "RS256" -> Optional.of(RS256);
            case "RS384" -> Optional.of(RS384);
            case "RS512" -> Optional.of(RS512);
            case "PS256" -> Optional.of(PS256);
            case "PS384" -> Optional.of(PS384);
            case "PS512" -> Optional.of(PS512);
            case "ES256" -> Optional.of(ES256);
            case "ES384" -> Optional.of(ES384);
            case "ES512" -> Optional.of(ES512);
            case "EdDSA", "Ed25519", "Ed448" -> Optional.of(EDDSA);
            default -> Optional.empty();
        };
    }

    /// For one thread and one signature.
    Signature signature() throws GeneralSecurityException {
        var signature = Signature.getInstance(name);
        if (!digest.isEmpty()) {
            signature.setParameter(new PSSParameterSpec(
                    digest, "MGF1", new MGF1ParameterSpec(digest), salt, PSSParameterSpec.TRAILER_FIELD_BC));
        }
        return signature;
    }
}
