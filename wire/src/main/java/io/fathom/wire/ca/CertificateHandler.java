// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.ca;

import io.fathom.wire.auth.Admission;
import io.fathom.wire.auth.Credentials;

/// Who answers orders. Called on virtual threads, so it may block.
@FunctionalInterface
public interface CertificateHandler {
    /// Finds out who calls. Nothing is read from a caller before it is admitted.
    Admission<Session> admit(Credentials credentials);

    /// A caller that is known.
    @FunctionalInterface
    interface Session {
        CertificateReply answer(CertificateOrder order);
    }
}
