// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

/// Every setting of the Vault authority: the variable it comes from, its default and what it is for. Where Vault's own
/// tools have a variable for it, that name is used.
public enum VaultSetting {
    ADDRESS("VAULT_ADDR", "URL", "", "Where Vault is: https://host:8200. Required."),
    NAMESPACE("VAULT_NAMESPACE", "NAME", "", "Namespace of Vault Enterprise or HCP."),
    CA_FILE("VAULT_CACERT", "FILE", "", """
            PEM certificates that Vault's own certificate comes from. Default: those of the Java runtime."""),
    TOKEN("VAULT_TOKEN", "TOKEN", "", "Token to use; renewed as long as Vault allows that."),
    TOKEN_FILE("FATHOM_VAULT_TOKEN_FILE", "FILE", "", """
            File with the token, read again before each use, so that somebody else may replace it."""),
    KUBERNETES_ROLE("FATHOM_VAULT_KUBERNETES_ROLE", "ROLE", "", """
            Role of Vault's kubernetes auth method; instead of a token."""),
    KUBERNETES_MOUNT("FATHOM_VAULT_KUBERNETES_MOUNT", "PATH", "kubernetes", "Where that auth method is enabled."),
    KUBERNETES_JWT_FILE(
            "FATHOM_VAULT_KUBERNETES_JWT_FILE",
            "FILE",
            "/var/run/secrets/kubernetes.io/serviceaccount/token",
            "Service-account token to log in with, read at every login."),
    MOUNT("FATHOM_VAULT_PKI_MOUNT", "PATH", "pki", "Where the PKI engine is enabled."),
    ISSUER("FATHOM_VAULT_PKI_ISSUER", "NAME", "", "Issuer that signs. Default: the mount's default issuer."),
    COMMON_NAME("FATHOM_VAULT_COMMON_NAME", "NAME", "Fathom intermediate CA", "Common name of the intermediate."),
    LIFETIME(
            "FATHOM_VAULT_TTL",
            "TIME",
            "30d",
            "Lifetime of the intermediate, like 90m, 36h or 30d; Vault may shorten it."),
    KEY("FATHOM_VAULT_KEY", "KIND", "P256", "Key of the intermediate: P256, P384, RSA2048 or RSA4096."),
    NAME_CONSTRAINT("FATHOM_VAULT_NAME_CONSTRAINT", "BOOL", "false", """
            Bind the intermediate to the trust domain by a name constraint. Every peer must be able to check it."""),
    ROOTS_FILE("FATHOM_VAULT_ROOTS_FILE", "FILE", "", """
            PEM certificates: the chain must end at one of them, clients get all. Needed if Vault does not know its root."""),
    RENEW_AFTER("FATHOM_VAULT_RENEW_AFTER", "SHARE", "0.66", "Share of the lifetime after which to renew."),
    ALARM_BELOW(
            "FATHOM_VAULT_ALARM_BELOW",
            "SHARE",
            "0.16",
            "Share of the lifetime that is left when the alarm is raised."),
    CHECK_EVERY("FATHOM_VAULT_CHECK_EVERY", "TIME", "30s", "How often to ask Vault how it does."),
    ROOT_OVERLAP("FATHOM_VAULT_ROOT_OVERLAP", "TIME", "5m", """
            How long to hand out a new root before anything is signed below it."""),
    TIMEOUT("FATHOM_VAULT_TIMEOUT", "TIME", "10s", "For one exchange with Vault."),
    PLAINTEXT("FATHOM_VAULT_PLAINTEXT", "BOOL", "false", """
            Allow http:// to other machines. The token can then be read on the way.""");

    private final String variable;
    private final String label;
    private final String fallback;
    private final String help;

    VaultSetting(String variable, String label, String fallback, String help) {
        this.variable = variable;
        this.label = label;
        this.fallback = fallback;
        this.help = help;
    }

    public String variable() {
        return variable;
    }

    /// What kind of value it takes.
    public String label() {
        return label;
    }

    /// The default; empty if there is none.
    public String fallback() {
        return fallback;
    }

    public String help() {
        return help;
    }
}
