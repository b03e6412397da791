package io.fathom.control.ca.vault;

import io.fathom.wire.pki.SigningMaterial;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/// Signing material in our hands and when to replace it. Immutable.
///
/// @param notAfter when the first certificate between the signer and the root, both included, ends
record Held(SigningMaterial material, Instant taken, Instant notAfter, Instant renewAt) {
    static Held of(SigningMaterial material, Instant now, RenewalPlanner planner, double chance) {
        var notAfter = end(material);
        return new Held(material, now, notAfter, planner.renewal(now, notAfter, chance));
    }

    /// When the first certificate of the chain ends, the root included.
    static Instant end(SigningMaterial material) {
        return Stream.concat(
                        Stream.of(material.notAfter()),
                        material.roots().stream().map(Held::end))
                .min(Instant::compareTo)
                .orElseThrow();
    }

    static Instant end(X509Certificate certificate) {
        return certificate.getNotAfter().toInstant();
    }

    List<X509Certificate> roots() {
        return material.roots();
    }

    boolean isOver(Instant now) {
        return !now.isBefore(notAfter);
    }

    Duration left(Instant now) {
        return Duration.between(now, notAfter);
    }
}
