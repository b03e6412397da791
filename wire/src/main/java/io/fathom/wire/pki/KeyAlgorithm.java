// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.pki;

import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;

/// Kinds of keys we make ourselves.
public enum KeyAlgorithm {
    P256,
    P384,
    RSA2048,
    RSA4096;

    public KeyPair generate() {
        try {
            return switch (this) {
                case P256 -> curve("secp256r1");
                case P384 -> curve("secp384r1");
                case RSA2048 -> rsa(2048);
                case RSA4096 -> rsa(4096);
            };
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK makes keys of kind " + this, e);
        }
    }

    private static KeyPair curve(String name) throws GeneralSecurityException {
        var generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec(name));
        return generator.generateKeyPair();
    }

    private static KeyPair rsa(int bits) throws GeneralSecurityException {
        var generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(bits);
        return generator.generateKeyPair();
    }
}
