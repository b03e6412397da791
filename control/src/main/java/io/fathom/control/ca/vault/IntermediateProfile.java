// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

import io.fathom.wire.pki.KeyAlgorithm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// What the intermediate is to look like and which of Vault's issuers is to sign it.
///
/// @param mount where the PKI engine is enabled
/// @param issuer name or id of an issuer there; empty means the mount's default issuer
/// @param ttl how long the intermediate is to live; Vault may shorten it
/// @param uriSans URI names in the intermediate itself
/// @param permittedUriDomains a name constraint: leaves may only carry URIs of these hosts, that is trust domains.
///     Empty means no constraint, as not every TLS library can check them
/// @param maxPathLength how many further authorities may come below; 0 means leaves only
/// @param rootsFile PEM certificates: the chain must end at one of them, whatever Vault says, and clients get all of
/// them; also where the root comes from if Vault does not know it
public record IntermediateProfile(
        String mount,
        Optional<String> issuer,
        String commonName,
        String organization,
        Duration ttl,
        KeyAlgorithm keyAlgorithm,
        List<String> uriSans,
        List<String> permittedUriDomains,
        int maxPathLength,
        Optional<Path> rootsFile) {
    public IntermediateProfile {
        VaultPath.require("the mount of the PKI engine", mount);
        issuer.ifPresent(name -> VaultPath.require("the name of the issuer", name));
        if (commonName.isBlank() || commonName.length() > 64) {
            throw new IllegalArgumentException("the common name must have 1 to 64 letters: " + commonName);
        }
        if (ttl.compareTo(Duration.ofSeconds(1)) < 0) {
            throw new IllegalArgumentException("the lifetime of the intermediate must be a second or more");
        }
        if (maxPathLength < 0) {
            throw new IllegalArgumentException("the path length must not be below zero");
        }
        uriSans = List.copyOf(uriSans);
        permittedUriDomains = List.copyOf(permittedUriDomains);
    }

    /// What suits most meshes: 30 days, P-256, `spiffe://<trust domain>` as the intermediate's own name.
    public static IntermediateProfile of(String mount, String trustDomain) {
        return new IntermediateProfile(
                mount,
                Optional.empty(),
                "Fathom intermediate CA",
                trustDomain,
                Duration.ofDays(30),
                KeyAlgorithm.P256,
                List.of("spiffe://" + trustDomain),
                List.of(),
                0,
                Optional.empty());
    }

    public IntermediateProfile withIssuer(String value) {
        return new IntermediateProfile(
                mount,
                Optional.of(value),
                commonName,
                organization,
                ttl,
                keyAlgorithm,
                uriSans,
                permittedUriDomains,
                maxPathLength,
                rootsFile);
    }

    public IntermediateProfile withCommonName(String value) {
        return new IntermediateProfile(
                mount,
                issuer,
                value,
                organization,
                ttl,
                keyAlgorithm,
                uriSans,
                permittedUriDomains,
                maxPathLength,
                rootsFile);
    }

    public IntermediateProfile withTtl(Duration value) {
        return new IntermediateProfile(
                mount,
                issuer,
                commonName,
                organization,
                value,
                keyAlgorithm,
                uriSans,
                permittedUriDomains,
                maxPathLength,
                rootsFile);
    }

    public IntermediateProfile withKeyAlgorithm(KeyAlgorithm value) {
        return new IntermediateProfile(
                mount,
                issuer,
                commonName,
                organization,
                ttl,
                value,
                uriSans,
                permittedUriDomains,
                maxPathLength,
                rootsFile);
    }

    public IntermediateProfile withUriSans(List<String> value) {
        return new IntermediateProfile(
                mount,
                issuer,
                commonName,
                organization,
                ttl,
                keyAlgorithm,
                value,
                permittedUriDomains,
                maxPathLength,
                rootsFile);
    }

    public IntermediateProfile withPermittedUriDomains(List<String> value) {
        return new IntermediateProfile(
                mount, issuer, commonName, organization, ttl, keyAlgorithm, uriSans, value, maxPathLength, rootsFile);
    }

    public IntermediateProfile withRootsFile(Path value) {
        return new IntermediateProfile(
                mount,
                issuer,
                commonName,
                organization,
                ttl,
                keyAlgorithm,
                uriSans,
                permittedUriDomains,
                maxPathLength,
                Optional.of(value));
    }

    /// Below `/v1/`, and what a policy in Vault has to allow.
    String signPath() {
        return issuer.map(name -> mount + "/issuer/" + name + "/sign-intermediate")
                .orElse(mount + "/root/sign-intermediate");
    }
}
