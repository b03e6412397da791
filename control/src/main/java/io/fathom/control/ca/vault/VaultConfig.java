package io.fathom.control.ca.vault;

/// All that [VaultAuthority] has to be told.
public record VaultConfig(VaultServer server, VaultLogin login, IntermediateProfile profile, RenewalPolicy renewal) {
    public VaultConfig(VaultServer server, VaultLogin login, IntermediateProfile profile) {
        this(server, login, profile, RenewalPolicy.DEFAULT);
    }
}
