// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.pki;

import io.fathom.model.mesh.Identity;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/// Names of a certificate's subject as text: a SPIFFE id is a URI, an IP address an address, all else a DNS name.
public final class AlternativeNames {
    private static final int URI = 6;
    private static final int DNS = 2;
    private static final int ADDRESS = 7;
    private static final String SCHEME = "spiffe://";

    private AlternativeNames() {}

    /// The workload identities of a certificate, in order; other names are left out.
    public static List<Identity> identities(X509Certificate certificate) {
        return of(certificate, URI).stream()
                .map(Identity::parse)
                .flatMap(Optional::stream)
                .toList();
    }

    /// The trust domains of all SPIFFE names of a certificate, also of those that are no workload.
    public static List<String> trustDomains(X509Certificate certificate) {
        return of(certificate, URI).stream()
                .filter(AlternativeNames::isUri)
                .map(name -> name.substring(SCHEME.length()))
                .map(rest -> rest.substring(0, rest.indexOf('/') < 0 ? rest.length() : rest.indexOf('/')))
                .distinct()
                .toList();
    }

    /// All URIs, DNS names and addresses of a certificate, in this order.
    public static List<String> of(X509Certificate certificate) {
        return Stream.of(URI, DNS, ADDRESS)
                .flatMap(kind -> of(certificate, kind).stream())
                .toList();
    }

    private static List<String> of(X509Certificate certificate, int kind) {
        try {
            var names = certificate.getSubjectAlternativeNames();
            return names == null
                    ? List.of()
                    : names.stream()
                            .filter(name -> Objects.equals(name.get(0), kind))
                            .map(name -> String.valueOf(name.get(1)))
                            .toList();
        } catch (CertificateParsingException e) {
            return List.of();
        }
    }

    static boolean isUri(String name) {
        return name.startsWith(SCHEME);
    }

    /// The bytes of an address literal; empty for anything else, without asking DNS.
    static Optional<byte[]> address(String name) {
        if (name.isEmpty() || !(name.indexOf(':') >= 0 || Character.isDigit(name.charAt(name.length() - 1)))) {
            return Optional.empty();
        }
        try {
            return Optional.of(InetAddress.ofLiteral(name).getAddress());
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /// One GeneralName in DER, written backwards.
    static void write(DerWriter der, String name) {
        var mark = der.mark();
        if (isUri(name)) {
            der.raw(name.getBytes(StandardCharsets.US_ASCII));
            der.enclose(0x80 | URI, mark);
        } else {
            var address = address(name);
            der.raw(address.orElseGet(() -> name.getBytes(StandardCharsets.US_ASCII)));
            der.enclose(0x80 | (address.isPresent() ? ADDRESS : DNS), mark);
        }
    }
}
