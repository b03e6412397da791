// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.stream;

import io.fathom.wire.auth.Admission;
import io.fathom.wire.auth.Credentials;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.xds.store.XdsType;
import java.util.Optional;
import java.util.function.Consumer;

/// Who may open streams on a port. Called on virtual threads, so it may block; nothing is read from a client before it
/// is admitted.
@FunctionalInterface
public interface StreamGate {
    Admission<NodeCheck> admit(Credentials credentials);

    /// What an admitted client may say that it is.
    @FunctionalInterface
    interface NodeCheck {
        /// Any.
        NodeCheck NONE = _ -> Optional.empty();

        /// Why the client is not what its first request says; empty if it is.
        Optional<String> refusal(ClientNode node);

        /// Whether the client may ask for resources of a type.
        default boolean mayHave(XdsType type) {
            return true;
        }

        /// Whether the client would be admitted today; asked when some identities count no longer.
        default boolean isStillAdmitted() {
            return true;
        }

        /// Makes a key and a certificate for the identity that the client has proved, and tells of it and of each newer
        /// one until closed. Empty for a client that has proved none.
        default Optional<AutoCloseable> mint(ClientNode node, Consumer<TlsIdentity> listener) {
            return Optional.empty();
        }
    }
}
