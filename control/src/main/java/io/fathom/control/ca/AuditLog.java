// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import io.fathom.wire.auth.Credentials;
import io.fathom.wire.pki.IssuedCertificate;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One line for everything that goes out, and for every refusal: who, what, why. Whoever floods us with bad
/// requests gets a few lines per second and a count of the others, so the log stays readable and small.
final class AuditLog {
    private static final Logger log = LoggerFactory.getLogger("io.fathom.audit.ca");
    private static final int REFUSALS_PER_SECOND = 20;
    private static final int SHOWN_CHARACTERS = 256;

    private final String what;
    private final InstantSource clock;
    private Instant second = Instant.EPOCH;
    private int written;
    private long dropped;

    /// @param what is given out or not, such as `certificate`
    AuditLog(String what, InstantSource clock) {
        this.what = what;
        this.clock = clock;
    }

    void issued(Caller caller, List<String> names, IssuedCertificate certificate, Credentials credentials) {
        log.atInfo()
                .addKeyValue("caller", caller.describe())
                .addKeyValue("by", caller.by())
                .addKeyValue("peer", peer(credentials))
                .addKeyValue("names", names)
                .addKeyValue("serial", certificate.serial())
                .addKeyValue("notAfter", certificate.notAfter())
                .log(what + " issued");
    }

    /// @param who as far as it is known
    void refused(String who, String wanted, String code, String why, Credentials credentials) {
        var skipped = admit();
        if (skipped < 0) {
            return;
        }
        var line = log.atWarn()
                .addKeyValue("caller", shown(who))
                .addKeyValue("peer", peer(credentials))
                .addKeyValue("wanted", shown(wanted))
                .addKeyValue("reason", code)
                .addKeyValue("detail", shown(why));
        if (skipped > 0) {
            line = line.addKeyValue("refusalsNotLogged", skipped);
        }
        line.log(what + " refused");
    }

    /// How many lines were left out before this one; negative if this one is left out too.
    private synchronized long admit() {
        var now = clock.instant();
        if (Duration.between(second, now).abs().compareTo(Duration.ofSeconds(1)) >= 0) {
            second = now;
            written = 0;
        }
        if (written >= REFUSALS_PER_SECOND) {
            dropped++;
            return -1;
        }
        written++;
        var skipped = dropped;
        dropped = 0;
        return skipped;
    }

    /// What a client sent may be long and may hold control characters.
    private static String shown(String text) {
        var cut = text.length() > SHOWN_CHARACTERS ? text.substring(0, SHOWN_CHARACTERS) + "…" : text;
        return cut.replaceAll("\\p{Cntrl}", "?");
    }

    private static String peer(Credentials credentials) {
        return credentials.peer().map(InetAddress::getHostAddress).orElse("unknown");
    }
}
