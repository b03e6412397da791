// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// Where Vault is and how to talk to it.
///
/// @param address scheme, host and port, without a path; plain `http` reaches a loopback address only, unless
///     `plaintext` says otherwise: the token goes over this connection
/// @param namespace sent with every request, for Vault Enterprise and HCP
/// @param caFile PEM certificates that Vault's own certificate must come from; empty means those of the Java runtime.
///     Read again when it changes
/// @param requestTimeout for one whole exchange, from connecting to the last byte of the answer
/// @param maxAnswerBytes a longer answer is an error
public record VaultServer(
        URI address,
        Optional<String> namespace,
        Optional<Path> caFile,
        Plaintext plaintext,
        Duration requestTimeout,
        int maxAnswerBytes) {
    /// Whether a token may travel without TLS.
    public enum Plaintext {
        LOOPBACK_ONLY,
        ANYWHERE
    }

    public VaultServer {
        var scheme = Optional.ofNullable(address.getScheme()).orElse("");
        var host = Optional.ofNullable(address.getHost()).orElse("");
        if (host.isEmpty() || !(scheme.equals("https") || scheme.equals("http"))) {
            throw new IllegalArgumentException("Vault's address must look like https://host:8200: " + address);
        }
        var path = Optional.ofNullable(address.getRawPath()).orElse("");
        if (!path.replace("/", "").isEmpty() || address.getRawQuery() != null || address.getRawUserInfo() != null) {
            throw new IllegalArgumentException(
                    "Vault's address is only scheme, host and port: " + scheme + "://" + host);
        }
        if (scheme.equals("http") && plaintext == Plaintext.LOOPBACK_ONLY && !isLoopback(host)) {
            throw new IllegalArgumentException("Vault's address must use https, as " + host + " is not this machine");
        }
        namespace.ifPresent(VaultServer::requireHeaderText);
        if (!requestTimeout.isPositive() || maxAnswerBytes <= 0) {
            throw new IllegalArgumentException("timeout and answer size must be above zero");
        }
    }

    public static VaultServer at(URI address) {
        return at(address, Plaintext.LOOPBACK_ONLY);
    }

    public static VaultServer at(URI address, Plaintext plaintext) {
        return new VaultServer(address, Optional.empty(), Optional.empty(), plaintext, Duration.ofSeconds(10), 1 << 20);
    }

    public VaultServer withNamespace(String value) {
        return new VaultServer(address, Optional.of(value), caFile, plaintext, requestTimeout, maxAnswerBytes);
    }

    public VaultServer withCaFile(Path value) {
        return new VaultServer(address, namespace, Optional.of(value), plaintext, requestTimeout, maxAnswerBytes);
    }

    public VaultServer withRequestTimeout(Duration value) {
        return new VaultServer(address, namespace, caFile, plaintext, value, maxAnswerBytes);
    }

    public VaultServer withMaxAnswerBytes(int value) {
        return new VaultServer(address, namespace, caFile, plaintext, requestTimeout, value);
    }

    URI endpoint(String path) {
        return address.resolve("/v1/" + path);
    }

    private static boolean isLoopback(String host) {
        return host.equals("localhost") || host.startsWith("127.") || host.equals("[::1]");
    }

    private static void requireHeaderText(String text) {
        if (text.isBlank() || !text.chars().allMatch(letter -> letter > ' ' && letter < 0x7f)) {
            throw new IllegalArgumentException("a namespace of Vault is one word: " + text.strip());
        }
    }
}
