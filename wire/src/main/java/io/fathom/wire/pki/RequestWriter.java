// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.pki;

import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.Signature;
import java.util.HexFormat;
import java.util.List;

/// Writes PKCS#10 requests: the wanted names in a critical extension. Written by hand because every node proxy asks for
/// certificates as it starts, and Bouncy Castle, whose jars are signed, costs it half a second and 7 MiB.
public final class RequestWriter {
    private static final byte[] VERSION_1 = HexFormat.of().parseHex("020100");
    private static final byte[] COMMON_NAME = HexFormat.of().parseHex("0603550403");
    private static final byte[] NAMES_CRITICAL = HexFormat.of().parseHex("0603551d110101ff");
    private static final byte[] EXTENSION_REQUEST = HexFormat.of().parseHex("06092a864886f70d01090e");
    private static final int ATTRIBUTES = 0xa0;

    private RequestWriter() {}

    /// A request as a client sends it: no subject.
    public static String write(KeyPair keys, List<String> names) {
        return write(keys, "", names);
    }

    /// A request whose subject has that common name.
    public static String write(KeyPair keys, String commonName, List<String> names) {
        try {
            var kind = SignatureKind.of(keys.getPublic());
            var body = body(keys, commonName, names);
            var signature = Signature.getInstance(kind.algorithm());
            signature.initSign(keys.getPrivate());
            signature.update(body);
            return Pem.encode("CERTIFICATE REQUEST", DerWriter.signed(body, kind.identifier(), signature.sign()));
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("a request cannot be made with this key");
        }
    }

    private static byte[] body(KeyPair keys, String commonName, List<String> names) {
        var der = new DerWriter(512);
        if (!names.isEmpty()) {
            names(der, names);
        }
        der.enclose(ATTRIBUTES, 0);
        der.raw(keys.getPublic().getEncoded());
        var subject = der.mark();
        if (!commonName.isEmpty()) {
            der.text(DerWriter.UTF8_STRING, commonName);
            der.raw(COMMON_NAME);
            der.enclose(DerWriter.SEQUENCE, subject);
            der.enclose(DerWriter.SET, subject);
        }
        der.enclose(DerWriter.SEQUENCE, subject);
        der.raw(VERSION_1);
        der.enclose(DerWriter.SEQUENCE, 0);
        return der.toByteArray();
    }

    private static void names(DerWriter der, List<String> names) {
        for (var name : names.reversed()) {
            AlternativeNames.write(der, name);
        }
        der.enclose(DerWriter.SEQUENCE, 0);
        der.enclose(DerWriter.OCTET_STRING, 0);
        der.raw(NAMES_CRITICAL);
        der.enclose(DerWriter.SEQUENCE, 0); // one extension
        der.enclose(DerWriter.SEQUENCE, 0); // all of them
        der.enclose(DerWriter.SET, 0);
        der.raw(EXTENSION_REQUEST);
        der.enclose(DerWriter.SEQUENCE, 0);
    }
}
