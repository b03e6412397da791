// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.ca;

import java.util.List;

/// The answer to a [CertificateOrder].
public sealed interface CertificateReply {
    /// Granted.
    ///
    /// @param chain the leaf, each intermediate, and all roots together as the last element
    record Issued(List<String> chain) implements CertificateReply {
        public Issued {
            chain = List.copyOf(chain);
        }
    }

    /// Not granted. The message goes to the client, so it names no reason that helps an intruder.
    record Denied(DenialReason kind, String message) implements CertificateReply {}

    /// Why, as far as a client may know.
    enum DenialReason {
        /// Who it is or what it may have was not proven: which of the two is not told.
        UNAUTHENTICATED,
        /// The request itself is wrong.
        INVALID,
        /// The authority cannot sign just now.
        FAILED
    }
}
