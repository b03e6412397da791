// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

import java.nio.file.Path;

/// How fathomd shows Vault who it is.
public sealed interface VaultLogin {
    /// A token given at start. It is renewed as long as Vault allows that.
    record Token(Secret token) implements VaultLogin {}

    /// A token in a file, read again before each use, so that somebody else (Vault Agent, a Secret volume) may
    /// replace it. It is renewed as long as Vault allows that.
    record TokenFile(Path file) implements VaultLogin {}

    /// Vault's `kubernetes` auth method: a service-account token is exchanged for a Vault token.
    ///
    /// @param mount where the auth method is enabled, usually `kubernetes`
    /// @param jwtFile the projected service-account token, read at every login
    record Kubernetes(String mount, String role, Path jwtFile) implements VaultLogin {
        public Kubernetes {
            VaultPath.require("the mount of the auth method", mount);
            if (role.isBlank()) {
                throw new IllegalArgumentException("Vault's kubernetes login needs the name of a role");
            }
        }
    }
}
