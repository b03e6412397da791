// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.dns;

import io.fathom.model.mesh.Ip;
import java.util.Optional;

/// What is asked.
///
/// @param name in lower case, without the last dot
public record DnsQuestion(String name, int type, int dnsClass) {
    public static final int A = 1;
    public static final int AAAA = 28;
    public static final int INTERNET = 1;

    /// The family of addresses that is asked for, if it is addresses.
    public Optional<Ip.Family> family() {
        if (dnsClass != INTERNET) {
            return Optional.empty();
        }
        return switch (type) {
            case A -> Optional.of(Ip.Family.V4);
            case AAAA -> Optional.of(Ip.Family.V6);
            default -> Optional.empty();
        };
    }

    /// As metrics name it.
    public static String typeName(int type) {
        return switch (type) {
            case A -> "A";
            case 2 -> "NS";
            case 5 -> "CNAME";
            case 6 -> "SOA";
            case 12 -> "PTR";
            case 15 -> "MX";
            case 16 -> "TXT";
            case AAAA -> "AAAA";
            case 33 -> "SRV";
            case 35 -> "NAPTR";
            case 64 -> "SVCB";
            case 65 -> "HTTPS";
            case 255 -> "ANY";
            default -> "Unknown";
        };
    }
}
