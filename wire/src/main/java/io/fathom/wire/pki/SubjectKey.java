// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.pki;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import java.io.IOException;
import java.math.BigInteger;
import java.security.PublicKey;
import java.security.spec.InvalidKeySpecException;
import java.util.Arrays;
import org.bouncycastle.asn1.ASN1Encoding;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.pkcs.RSAPublicKey;
import org.bouncycastle.asn1.sec.SECObjectIdentifiers;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.asn1.x9.X9ObjectIdentifiers;

/// A public key that is strong enough to be certified: P-256, P-384, or RSA from 2048 to 8192 bits. Larger RSA keys
/// make every handshake of their peers expensive, so they are refused too.
public final class SubjectKey {
    private static final int RSA_MIN_BITS = 2048;
    private static final int RSA_MAX_BITS = 8192;
    private static final int UNCOMPRESSED = 4;

    private final String algorithm;
    private final byte[] encoded;
    private final PublicKey publicKey;

    private SubjectKey(String algorithm, byte[] encoded, PublicKey publicKey) {
        this.algorithm = algorithm;
        this.encoded = encoded;
        this.publicKey = publicKey;
    }

    /// The key as it is certified.
    ///
    /// @throws ProblemException if the key is too weak or of an unknown kind
    public static SubjectKey of(PublicKey key) {
        return of(SubjectPublicKeyInfo.getInstance(key.getEncoded()));
    }

    static SubjectKey of(SubjectPublicKeyInfo info) {
        try {
            var kind = info.getAlgorithm().getAlgorithm();
            if (kind.equals(X9ObjectIdentifiers.id_ecPublicKey)) {
                checkCurve(info);
                return made("EC", info);
            }
            if (kind.equals(PKCSObjectIdentifiers.rsaEncryption)) {
                checkRsa(RSAPublicKey.getInstance(info.parsePublicKey()));
                return made("RSA", info);
            }
            throw weak("csr-unsupported-key", "keys of kind " + kind + " are not certified");
        } catch (IOException | InvalidKeySpecException | IllegalArgumentException e) {
            throw weak("csr-malformed", "the public key is not readable");
        }
    }

    private static SubjectKey made(String algorithm, SubjectPublicKeyInfo info)
            throws IOException, InvalidKeySpecException {
        var encoded = info.getEncoded(ASN1Encoding.DER);
        return new SubjectKey(algorithm, encoded, Signing.publicKey(algorithm, encoded)); // a point off the curve fails
    }

    private static void checkCurve(SubjectPublicKeyInfo info) {
        var point = info.getPublicKeyData().getOctets();
        if (!(info.getAlgorithm().getParameters() instanceof ASN1ObjectIdentifier curve)) {
            throw weak("csr-unsupported-key", "the curve of the key is not a named one");
        }
        int size;
        if (curve.equals(SECObjectIdentifiers.secp256r1)) {
            size = 32;
        } else if (curve.equals(SECObjectIdentifiers.secp384r1)) {
            size = 48;
        } else {
            throw weak("csr-unsupported-key", "curve " + curve + " is not certified");
        }
        if (point.length != 1 + 2 * size || point[0] != UNCOMPRESSED) {
            throw weak("csr-malformed", "the public key is not an uncompressed point of its curve");
        }
    }

    private static void checkRsa(RSAPublicKey key) {
        var bits = key.getModulus().bitLength();
        if (bits < RSA_MIN_BITS) {
            throw weak("csr-weak-key", "an RSA key of " + bits + " bits is too weak");
        }
        if (bits > RSA_MAX_BITS) {
            throw weak("csr-unsupported-key", "an RSA key of " + bits + " bits is too large");
        }
        var exponent = key.getPublicExponent();
        if (!exponent.testBit(0) || exponent.bitLength() > 33 || exponent.compareTo(BigInteger.TWO) <= 0) {
            throw weak("csr-weak-key", "the RSA exponent is not an odd number from 3 to 2^33");
        }
    }

    private static ProblemException weak(String code, String message) {
        return new ProblemException(
                Problem.ofInput(code, message, "use an ECDSA P-256 or P-384 key, or RSA with 2048 to 8192 bits"));
    }

    /// `EC` or `RSA`.
    public String algorithm() {
        return algorithm;
    }

    public PublicKey publicKey() {
        return publicKey;
    }

    /// SubjectPublicKeyInfo in DER; not to be changed.
    byte[] encoded() {
        return encoded;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SubjectKey key && Arrays.equals(encoded, key.encoded);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(encoded);
    }
}
