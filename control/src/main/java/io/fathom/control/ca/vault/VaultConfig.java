// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

import io.fathom.wire.pki.SigningMaterial;
import java.time.Instant;

/// All that [VaultAuthority] has to be told.
public record VaultConfig(VaultServer server, VaultLogin login, IntermediateProfile profile, RenewalPolicy renewal) {
    public VaultConfig(VaultServer server, VaultLogin login, IntermediateProfile profile) {
        this(server, login, profile, RenewalPolicy.DEFAULT);
    }

    /// How urgent it is that somebody looks after an intermediate.
    public Alarm alarm(SigningMaterial material, Instant now) {
        return new RenewalPlanner(renewal).alarm(Inherited.begin(material), HeldMaterial.end(material), now);
    }

    /// When an intermediate ends, or its root if that comes first.
    public Instant end(SigningMaterial material) {
        return HeldMaterial.end(material);
    }
}
