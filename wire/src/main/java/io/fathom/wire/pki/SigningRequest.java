// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.pki;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.bouncycastle.asn1.ASN1Encoding;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.ASN1OctetString;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x9.X9ObjectIdentifiers;
import org.bouncycastle.pkcs.PKCS10CertificationRequest;

/// A PKCS#10 request that was checked: small, well-formed, with a strong key, and signed by that key. What it asks for
/// is only a wish; whoever signs decides on the names.
///
/// @param key to be certified
/// @param asksCommonName whether the subject holds a common name
/// @param names the subject alternative names asked for, in order; those of kinds that are never granted in a form that
///     equals no grantable name
public record SigningRequest(SubjectKey key, boolean asksCommonName, List<String> names) {
    /// An RSA 8192 request with some names has about 3 KiB.
    public static final int MAX_CHARACTERS = 16 * 1024;

    /// The second is the older name.
    private static final List<String> BLOCKS = List.of("CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST");

    private static final Map<ASN1ObjectIdentifier, String> ALGORITHMS = Map.of(
            PKCSObjectIdentifiers.sha256WithRSAEncryption, "SHA256withRSA",
            PKCSObjectIdentifiers.sha384WithRSAEncryption, "SHA384withRSA",
            PKCSObjectIdentifiers.sha512WithRSAEncryption, "SHA512withRSA",
            X9ObjectIdentifiers.ecdsa_with_SHA256, "SHA256withECDSA",
            X9ObjectIdentifiers.ecdsa_with_SHA384, "SHA384withECDSA",
            X9ObjectIdentifiers.ecdsa_with_SHA512, "SHA512withECDSA");

    public SigningRequest {
        names = List.copyOf(names);
    }

    /// Reads and checks a request.
    ///
    /// @throws ProblemException with a code that starts with `csr-`
    public static SigningRequest parse(String pem) {
        if (pem.length() > MAX_CHARACTERS) {
            throw problem(
                    "csr-too-large",
                    "the request has " + pem.length() + " characters, at most " + MAX_CHARACTERS + " are read");
        }
        try {
            var request = new PKCS10CertificationRequest(block(pem));
            var key = SubjectKey.of(request.getSubjectPublicKeyInfo());
            checkSignature(request, key);
            var asksCommonName = request.getSubject().getRDNs(BCStyle.CN).length > 0;
            return new SigningRequest(key, asksCommonName, names(request));
        } catch (ProblemException e) {
            throw e;
        } catch (IOException | RuntimeException | StackOverflowError e) { // what a parser does with hostile input
            throw problem("csr-malformed", "the request is not readable as PKCS#10");
        }
    }

    private static byte[] block(String pem) {
        for (var kind : BLOCKS) {
            var begin = pem.indexOf("-----BEGIN " + kind + "-----");
            var end = pem.indexOf("-----END " + kind + "-----", Math.max(begin, 0));
            if (begin >= 0 && end > begin) {
                return Base64.getMimeDecoder().decode(pem.substring(begin + kind.length() + 16, end));
            }
        }
        throw problem("csr-malformed", "the request is not in PEM form");
    }

    private static void checkSignature(PKCS10CertificationRequest request, SubjectKey key) throws IOException {
        var algorithm = ALGORITHMS.get(request.getSignatureAlgorithm().getAlgorithm());
        if (algorithm == null) {
            throw problem("csr-weak-signature", "the request is not signed with SHA-256, SHA-384 or SHA-512");
        }
        try {
            var signature = Signing.signature(algorithm);
            signature.initVerify(key.publicKey());
            signature.update(
                    request.toASN1Structure().getCertificationRequestInfo().getEncoded(ASN1Encoding.DER));
            if (signature.verify(request.getSignature())) {
                return;
            }
        } catch (InvalidKeyException e) {
            throw problem("csr-bad-signature", "the request is signed with another kind of key than it asks for");
        } catch (GeneralSecurityException e) {
            // an unreadable signature is a wrong one
        }
        throw problem("csr-bad-signature", "the request is not signed by the key it asks for");
    }

    private static List<String> names(PKCS10CertificationRequest request) {
        var extensions = request.getRequestedExtensions();
        if (extensions == null || extensions.getExtension(Extension.subjectAlternativeName) == null) {
            return List.of();
        }
        var names = new ArrayList<String>();
        for (var name : GeneralNames.fromExtensions(extensions, Extension.subjectAlternativeName)
                .getNames()) {
            names.add(text(name));
        }
        return names;
    }

    /// Kinds that are never granted get a prefix that no granted name has.
    private static String text(GeneralName name) {
        return switch (name.getTagNo()) {
            case GeneralName.uniformResourceIdentifier, GeneralName.dNSName ->
                name.getName().toString();
            case GeneralName.iPAddress ->
                "address:"
                        + HexFormat.of()
                                .formatHex(ASN1OctetString.getInstance(name.getName())
                                        .getOctets());
            default -> "other:" + name.getTagNo();
        };
    }

    private static ProblemException problem(String code, String message) {
        return new ProblemException(
                Problem.ofInput(code, message, "send a PEM encoded PKCS#10 request signed with its own key"));
    }
}
