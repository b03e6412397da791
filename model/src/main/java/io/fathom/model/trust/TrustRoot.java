// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.trust;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;

/// A root certificate by its bytes, and known by its fingerprint.
///
/// @param fingerprint SHA-256 of the certificate in DER, as 64 small hexadecimal digits
/// @param certificate the DER in base 64, without line breaks
public record TrustRoot(String fingerprint, String certificate) implements Comparable<TrustRoot> {
    /// @throws IllegalArgumentException if the fingerprint is not that of the certificate
    public TrustRoot {
        if (!fingerprint.equals(fingerprint(Base64.getDecoder().decode(certificate)))) {
            throw new IllegalArgumentException("the fingerprint is that of another certificate");
        }
    }

    public static TrustRoot of(byte[] der) {
        return new TrustRoot(fingerprint(der), Base64.getEncoder().encodeToString(der));
    }

    public byte[] der() {
        return Base64.getDecoder().decode(certificate);
    }

    private static String fingerprint(byte[] der) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(der));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    @Override
    public int compareTo(TrustRoot other) {
        return fingerprint.compareTo(other.fingerprint);
    }

    @Override
    public String toString() {
        return fingerprint;
    }
}
