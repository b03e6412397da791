// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.identity;

import io.fathom.base.lang.Problem;
import io.fathom.model.mesh.Identity;
import io.fathom.wire.pki.TlsIdentity;
import java.util.Optional;

/// How an identity stands, for the dump.
///
/// @param certificate the one in use, or that was before it ended
/// @param error why the latest attempt failed, until one succeeds
public record CertificateState(
        Identity identity, Stage stage, Optional<TlsIdentity> certificate, Optional<Problem> error) {
    public enum Stage {
        INITIALIZING,
        AVAILABLE,
        UNAVAILABLE
    }

    /// In upstream's words.
    public String text() {
        return switch (stage) {
            case INITIALIZING -> "Initializing";
            case AVAILABLE -> "Available";
            case UNAVAILABLE -> "Unavailable: " + error.map(Problem::message).orElse("expired");
        };
    }
}
