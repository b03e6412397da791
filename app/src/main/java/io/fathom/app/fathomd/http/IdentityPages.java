// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd.http;

import io.fathom.app.http.JsonOut;
import io.fathom.app.http.Page;
import io.fathom.app.http.Pages;
import io.fathom.control.ca.Authority;
import io.fathom.control.ca.ServingCertificates;
import io.fathom.control.ca.vault.VaultAuthority;
import io.fathom.wire.pki.AlternativeNames;
import io.fathom.wire.pki.Pem;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/// The pages and metrics about who signs in the mesh.
public final class IdentityPages {
    private final Authority authority;
    private final ServingCertificates serving;

    public IdentityPages(Authority authority, ServingCertificates serving) {
        this.authority = authority;
        this.serving = serving;
    }

    public void addTo(Pages pages) {
        pages.debug(
                "root-cert", "What verifies the TLS port, PEM", _ -> Page.Reply.text(Pem.encode(authority.roots())));
        pages.debug("caz", "Who signs, what is trusted, and how that does", _ -> Page.Reply.json(this::write));
    }

    /// The gauges; the counters are in [IdentityMetrics].
    public void addTo(ControlMetrics metrics, InstantSource clock) {
        metrics.watch(
                "citadel_server_root_cert_expiry_timestamp",
                "When the root ends, in seconds since 1970.",
                () -> seconds(authority.health().rootNotAfter()));
        metrics.watch(
                "citadel_server_root_cert_expiry_seconds",
                "How many seconds the root has left.",
                () -> left(authority.health().rootNotAfter(), clock.instant()));
        metrics.watch(
                "citadel_server_cert_chain_expiry_timestamp",
                "When the signing chain ends, in seconds since 1970.",
                () -> seconds(authority.health().signerNotAfter()));
        metrics.watch(
                "citadel_server_cert_chain_expiry_seconds",
                "How many seconds the signing chain has left.",
                () -> left(authority.health().signerNotAfter(), clock.instant()));
        metrics.watch(
                "fathom_ca_state",
                "0: signs and renews; 1: signs, but the last renewal or check failed; 2: cannot sign.",
                () -> switch (authority.health().state()) {
                    case READY -> 0;
                    case DEGRADED -> 1;
                    case DOWN -> 2;
                });
        if (authority instanceof VaultAuthority vault) {
            vault.status()
                    .metrics()
                    .keySet()
                    .forEach(name -> metrics.watch(
                            name,
                            "See docs/ca-vault.md.",
                            () -> vault.status().metrics().getOrDefault(name, 0.0)));
        }
    }

    private void write(JsonOut json) {
        var health = authority.health();
        json.object(out -> {
            out.text("authority", health.authority())
                    .text("state", health.state().name());
            health.problem()
                    .ifPresent(problem -> out.text("problem", problem.code())
                            .text("message", problem.message())
                            .text("fix", problem.fix()));
            health.lastRenewal().ifPresent(time -> out.text("since", time.toString()));
            health.signerNotAfter().ifPresent(time -> out.text("signsUntil", time.toString()));
            out.wholeList("roots", authority.roots(), IdentityPages::certificate);
            out.list("serving", serving.current().chain(), IdentityPages::certificate);
        });
    }

    private static void certificate(JsonOut json, X509Certificate certificate) {
        json.object(out -> out.text(
                        "subject", certificate.getSubjectX500Principal().getName())
                .text("serial", certificate.getSerialNumber().toString(16))
                .text("notBefore", certificate.getNotBefore().toInstant().toString())
                .text("notAfter", certificate.getNotAfter().toInstant().toString())
                .texts("names", AlternativeNames.of(certificate)));
    }

    private static double seconds(Optional<Instant> time) {
        return time.map(instant -> (double) instant.getEpochSecond()).orElse(0.0);
    }

    private static double left(Optional<Instant> time, Instant now) {
        return time.map(instant -> Duration.between(now, instant).toMillis() / 1000.0)
                .orElse(0.0);
    }
}
