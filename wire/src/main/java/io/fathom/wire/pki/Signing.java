// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.pki;

import java.security.KeyFactory;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Optional;

/// Where signatures are computed: in BoringSSL where its library loads, else in the JDK, which is a few times slower.
/// Nothing is registered globally, so TLS and all other users of the JDK's providers are left as they are.
final class Signing {
    private static final Optional<Provider> BORINGSSL = BoringSsl.provider();
    private static final SecureRandom RANDOM = random();

    private Signing() {}

    private static SecureRandom random() {
        try {
            return BORINGSSL.isPresent()
                    ? SecureRandom.getInstance(
                            "SHA1PRNG", BORINGSSL.get()) // a name only: this is BoringSSL's RAND_bytes
                    : new SecureRandom();
        } catch (NoSuchAlgorithmException e) {
            return new SecureRandom();
        }
    }

    static String name() {
        return BORINGSSL.isPresent() ? "BoringSSL" : "JDK";
    }

    static SecureRandom secureRandom() {
        return RANDOM;
    }

    static Signature signature(String algorithm) throws NoSuchAlgorithmException {
        return BORINGSSL.isPresent()
                ? Signature.getInstance(algorithm, BORINGSSL.get())
                : Signature.getInstance(algorithm);
    }

    /// The same key in the form the provider signs with; made once per key, as the conversion costs more than signing.
    static PrivateKey own(PrivateKey key) {
        if (BORINGSSL.isEmpty() || key.getEncoded() == null) {
            return key;
        }
        try {
            return factory(key.getAlgorithm()).generatePrivate(new PKCS8EncodedKeySpec(key.getEncoded()));
        } catch (NoSuchAlgorithmException | InvalidKeySpecException e) {
            throw new IllegalArgumentException(
                    "the key is not usable for signing"); // without a cause that may quote it
        }
    }

    static PublicKey publicKey(String algorithm, byte[] keyInfo) throws InvalidKeySpecException {
        try {
            return factory(algorithm).generatePublic(new X509EncodedKeySpec(keyInfo));
        } catch (NoSuchAlgorithmException e) {
            throw new InvalidKeySpecException(e);
        }
    }

    private static KeyFactory factory(String algorithm) throws NoSuchAlgorithmException {
        return BORINGSSL.isPresent()
                ? KeyFactory.getInstance(algorithm, BORINGSSL.get())
                : KeyFactory.getInstance(algorithm);
    }
}
