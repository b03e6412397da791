// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Problem.Origin;
import io.fathom.base.lang.Problem.Retry;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpTimeoutException;
import java.util.Optional;
import javax.net.ssl.SSLException;

/// Says what is wrong between fathomd and Vault, and what to do about it. Pure.
final class VaultProblems {
    private VaultProblems() {}

    static Problem timeout(VaultServer server) {
        return outage(
                "vault-timeout",
                "no answer from Vault at " + server.address() + " within "
                        + server.requestTimeout().toMillis() + " ms",
                "look at Vault's load and storage, and at what lies between fathomd and Vault");
    }

    static Problem noAnswer(VaultServer server, Throwable cause) {
        return switch (cause) {
            case HttpTimeoutException _ -> timeout(server);
            case SSLException e ->
                new Problem(
                        "vault-tls",
                        "the certificate of Vault at " + server.address() + " is not accepted: " + words(e),
                        "name the CA that signed Vault's server certificate as CA file, and use an address that the"
                                + " certificate is made for",
                        Origin.MESH,
                        Retry.SENSIBLE);
            case ConnectException e ->
                outage(
                        "vault-unreachable",
                        "no connection to Vault at " + server.address() + ": " + words(e),
                        "start Vault, correct its address, or allow the connection in every NetworkPolicy and firewall");
            case IOException e
            when words(e).contains("capacity") ->
                outage(
                        "vault-bad-answer",
                        "the answer of Vault at " + server.address() + " is longer than " + server.maxAnswerBytes()
                                + " bytes",
                        "check that the address leads to Vault's API");
            default ->
                outage(
                        "vault-unreachable",
                        "the exchange with Vault at " + server.address() + " broke off: " + words(cause),
                        "check that Vault runs and that the address leads to its API");
        };
    }

    /// What the answer to `sys/health` means; empty if Vault can serve, or something in between does not let us know.
    static Optional<Problem> health(VaultServer server, VaultAnswer answer) {
        return switch (answer.status()) {
            case 501 ->
                Optional.of(outage(
                        "vault-uninitialized",
                        "Vault at " + server.address() + " has never been initialized",
                        "run `vault operator init`, unseal it and enable the PKI engine"));
            case 503 -> Optional.of(sealed(server));
            case 472, 474, 530 ->
                Optional.of(outage(
                        "vault-not-active",
                        "the Vault node at " + server.address() + " does not serve requests (status " + answer.status()
                                + ")",
                        "use the address of the active cluster"));
            case 500, 502, 504 -> Optional.of(failing(server, "sys/health", answer));
            default -> Optional.empty();
        };
    }

    static Problem signing(VaultServer server, IntermediateProfile profile, VaultAnswer answer) {
        var path = profile.signPath();
        if (answer.mentions("no default issuer")
                || answer.mentions("unable to find PKI issuer")
                || answer.mentions("was one set?")) {
            return refusal(
                    "vault-no-issuer",
                    "the PKI engine at " + profile.mount() + "/ has no issuer "
                            + profile.issuer().map(name -> "named " + name).orElse("that is its default"),
                    "create or import an issuer there, or name one that exists");
        }
        return switch (answer.status()) {
            case 403 ->
                refusal(
                        "vault-denied",
                        "Vault does not let this token sign an intermediate at " + path,
                        "add to a policy of the token: path \"" + path
                                + "\" { capabilities = [\"create\", \"update\"] }");
            case 404 ->
                refusal(
                        "vault-mount-missing",
                        "Vault has no PKI engine at " + profile.mount() + "/",
                        "correct the mount, or run `vault secrets enable -path=" + profile.mount() + " pki` and give it"
                                + " a root or an intermediate");
            default -> other(server, path, answer);
        };
    }

    static Problem login(VaultServer server, VaultLogin.Kubernetes login, VaultAnswer answer) {
        var path = "auth/" + login.mount() + "/login";
        if (answer.mentions("invalid role name") || answer.mentions("no such role")) {
            return refusal(
                    "vault-role-missing",
                    "Vault has no role " + login.role() + " at auth/" + login.mount(),
                    "create it with `vault write auth/" + login.mount() + "/role/" + login.role()
                            + " bound_service_account_names=… bound_service_account_namespaces=… token_policies=…`");
        }
        return switch (answer.status()) {
            case 400, 403 ->
                refusal(
                        "vault-login-refused",
                        "Vault refuses the service account of " + login.jwtFile() + " for the role " + login.role()
                                + " at auth/" + login.mount() + ": " + answer.errors(),
                        "check that the auth method is enabled there, the role's bound service accounts, namespaces and"
                                + " audience, and that Vault's own account may create tokenreviews (cluster role"
                                + " system:auth-delegator)");
            default -> other(server, path, answer);
        };
    }

    static Problem token(VaultServer server, String path, VaultLogin login, VaultAnswer answer) {
        return switch (answer.status()) {
            case 400, 403, 404 ->
                refusal(
                        "vault-token-rejected",
                        "Vault does not accept the token " + origin(login) + ": " + answer.errors(),
                        switch (login) {
                            case VaultLogin.Token _ ->
                                "start fathomd with a token that is valid, renewable and not revoked";
                            case VaultLogin.TokenFile tokenFile ->
                                "write a token that is valid, renewable and not revoked to " + tokenFile.file();
                            case VaultLogin.Kubernetes _ ->
                                "nothing, if it goes away by itself: fathomd logs in again; else look at the audit log";
                        });
            default -> other(server, path, answer);
        };
    }

    static Problem tokenEnds(VaultLogin login, String when) {
        return refusal(
                "vault-token-ending",
                "the token " + origin(login) + " ends at " + when + " and Vault does not prolong it",
                "give fathomd a new token, periodic if possible (`vault token create -period=24h -policy=…`)");
    }

    static Problem badAnswer(VaultServer server, String path, String what) {
        return outage(
                "vault-bad-answer",
                "the answer of Vault at " + server.address() + " to " + path + " " + what,
                "check that the address leads to Vault's API and that its version is supported");
    }

    private static String origin(VaultLogin login) {
        return switch (login) {
            case VaultLogin.Token _ -> "that fathomd was started with";
            case VaultLogin.TokenFile tokenFile -> "in " + tokenFile.file();
            case VaultLogin.Kubernetes kubernetes -> "of the login at auth/" + kubernetes.mount();
        };
    }

    private static Problem other(VaultServer server, String path, VaultAnswer answer) {
        return switch (answer.status()) {
            case 503 -> sealed(server);
            case 301, 302, 307, 308 ->
                outage(
                        "vault-redirects",
                        "Vault at " + server.address() + " sends requests elsewhere, which fathomd does not follow",
                        "use the address of the active node, or let standby nodes forward requests");
            case 429 ->
                outage(
                        "vault-busy",
                        "Vault at " + server.address() + " turns requests away: " + answer.errors(),
                        "look at Vault's rate limit quotas");
            case 400, 405, 412 ->
                refusal(
                        "vault-refused",
                        "Vault refuses " + path + ": " + answer.errors(),
                        "compare the settings of the intermediate with those of the mount and its issuer");
            default -> failing(server, path, answer);
        };
    }

    private static Problem sealed(VaultServer server) {
        return outage(
                "vault-sealed",
                "Vault at " + server.address() + " is sealed or has no active node",
                "run `vault operator unseal`, or look after its auto-unseal");
    }

    private static Problem failing(VaultServer server, String path, VaultAnswer answer) {
        return outage(
                "vault-failing",
                "Vault at " + server.address() + " answers " + path + " with status " + answer.status()
                        + (answer.errors().isEmpty() ? "" : ": " + answer.errors()),
                "look into Vault's log");
    }

    private static Problem outage(String code, String message, String fix) {
        return new Problem(code, message, fix, Origin.SERVER, Retry.SENSIBLE);
    }

    private static Problem refusal(String code, String message, String fix) {
        return new Problem(code, message, fix, Origin.MESH, Retry.POINTLESS);
    }

    private static String words(Throwable e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            var message = cause.getMessage();
            if (message != null && !message.isBlank()) {
                return message;
            }
        }
        return e instanceof ConnectException
                ? "refused, or no such host"
                : e.getClass().getSimpleName();
    }
}
