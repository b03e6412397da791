// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.pki;

import java.io.IOException;
import java.io.StringReader;
import java.security.PrivateKey;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.openssl.PEMException;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;

/// Reads private keys in any of the forms that operators have them in. Apart from [Pem], which a node proxy uses and
/// whose start must not wait for Bouncy Castle.
public final class PemKeys {
    private PemKeys() {}

    /// The first private key: PKCS#8, PKCS#1 (RSA) or SEC1 (EC), not encrypted.
    public static PrivateKey privateKey(String pem) {
        try (var parser = new PEMParser(new StringReader(pem))) {
            for (var block = parser.readObject(); block != null; block = parser.readObject()) {
                if (block instanceof PEMKeyPair pair) {
                    return converted(pair.getPrivateKeyInfo());
                }
                if (block instanceof PrivateKeyInfo info) {
                    return converted(info);
                }
            }
        } catch (IOException | RuntimeException e) {
            throw Pem.problem("bad-key-pem", "not readable as a PEM private key");
        }
        throw Pem.problem("bad-key-pem", "there is no unencrypted private key in the PEM text");
    }

    private static PrivateKey converted(PrivateKeyInfo info) throws PEMException {
        return new JcaPEMKeyConverter().getPrivateKey(info);
    }
}
