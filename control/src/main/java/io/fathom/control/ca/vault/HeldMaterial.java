// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

import io.fathom.wire.pki.SigningMaterial;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// Signing material in our hands and when to replace it. Immutable.
///
/// @param notAfter when the first certificate between the signer and the root, both included, ends
record HeldMaterial(SigningMaterial material, Instant taken, Instant notAfter, Instant renewAt) {
    static HeldMaterial of(SigningMaterial material, Instant now, RenewalPlanner planner, double chance) {
        var notAfter = end(material);
        return new HeldMaterial(material, now, notAfter, planner.renewal(now, notAfter, chance));
    }

    /// When the first certificate of the chain ends, its root included. Others may be handed out with that root.
    static Instant end(SigningMaterial material) {
        var chain = material.notAfter();
        var root = end(material.roots().getFirst());
        return root.isBefore(chain) ? root : chain;
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
