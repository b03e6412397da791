// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.pki;

import java.security.PublicKey;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.util.HexFormat;

/// How a key signs: the hash follows the strength of the key.
enum SignatureKind {
    RSA_SHA256("SHA256withRSA", "300d06092a864886f70d01010b0500"),
    ECDSA_SHA256("SHA256withECDSA", "300a06082a8648ce3d040302"),
    ECDSA_SHA384("SHA384withECDSA", "300a06082a8648ce3d040303"),
    ECDSA_SHA512("SHA512withECDSA", "300a06082a8648ce3d040304");

    private final String algorithm;
    private final String identifier;

    SignatureKind(String algorithm, String identifier) {
        this.algorithm = algorithm;
        this.identifier = identifier;
    }

    static SignatureKind of(PublicKey key) {
        return switch (key) {
            case RSAPublicKey _ -> RSA_SHA256;
            case ECPublicKey curve -> {
                var bits = curve.getParams().getOrder().bitLength();
                yield bits <= 256 ? ECDSA_SHA256 : bits <= 384 ? ECDSA_SHA384 : ECDSA_SHA512;
            }
            default -> throw new IllegalArgumentException("no signatures with keys of kind " + key.getAlgorithm());
        };
    }

    /// As the JDK calls it.
    String algorithm() {
        return algorithm;
    }

    /// AlgorithmIdentifier in DER.
    byte[] identifier() {
        return HexFormat.of().parseHex(identifier);
    }
}
