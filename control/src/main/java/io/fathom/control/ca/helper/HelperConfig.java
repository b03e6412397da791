// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.helper;

import io.fathom.control.ca.RootStore;
import io.fathom.control.ca.vault.VaultConfig;

/// All that [CaHelper] has to be told.
///
/// @param store where the intermediate is kept for others
/// @param place the same in words, like `Secret istio-system/cacerts`
/// @param foreign what becomes of certificates there that are not Vault's
public record HelperConfig(VaultConfig vault, RootStore store, String place, Foreign foreign) {
    /// What to do with certificates that somebody else has stored.
    public enum Foreign {
        REFUSED,
        /// Vault's come in their place. Their roots stay trusted until they end.
        REPLACED
    }
}
