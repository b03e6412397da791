// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import io.fathom.app.settings.Settings;
import io.fathom.base.lang.ProblemException;
import io.fathom.control.ca.CertificateLimits;
import io.fathom.control.ca.NodeAuthorizer.TrustedAccounts;
import io.fathom.control.ca.PluggedAuthority.RootChange;
import io.fathom.control.ca.jwt.JwtRule;
import io.fathom.control.ca.vault.VaultConfig;
import io.fathom.control.ca.vault.VaultSettings;
import io.fathom.model.mesh.IpBlock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// What identity in the mesh is made of.
///
/// @param caFolder where plugged certificates are looked for
/// @param caFile keeps a self-signed root; without it the root ends with the process
/// @param vault present if Vault is the authority
/// @param checks what clients of the xDS ports have to show
/// @param tokensFolder where node proxies of a mesh without Kubernetes find their tokens
public record IdentityConfig(
        AuthorityChoice authority,
        Path caFolder,
        Optional<Path> caFile,
        Optional<VaultConfig> vault,
        RootConfig root,
        CertificateLimits limits,
        TrustedAccounts trustedNodeAccounts,
        CredentialConfig credentials,
        Set<Check> checks,
        Optional<Path> tokensFolder) {

    /// The root certificate.
    ///
    /// @param lifetime of a root of our own
    /// @param checks how often it is looked at
    /// @param change what plugged certificates may become
    public record RootConfig(Duration lifetime, Duration checks, RootChange change) {}

    /// What callers can prove with who they are.
    ///
    /// @param ways kinds of credentials that are accepted
    /// @param gateways whose word on their clients' certificates is taken; none turns that off
    public record CredentialConfig(
            Set<Way> ways, List<String> tokenAudiences, Optional<JwtRule> jwtRule, List<IpBlock> gateways) {
        public CredentialConfig {
            ways = Set.copyOf(ways);
            tokenAudiences = List.copyOf(tokenAudiences);
            gateways = List.copyOf(gateways);
        }
    }

    /// Who signs.
    public enum AuthorityChoice {
        /// Plugged certificates if there are any, else a root of our own.
        AUTO,
        SELF_SIGNED,
        CACERTS,
        VAULT
    }

    /// How callers can prove who they are.
    public enum Way {
        CERTIFICATE,
        JWT,
        TOKEN
    }

    /// What is asked of clients that open streams.
    public enum Check {
        /// On the TLS port they have to be known.
        TLS,
        /// So they have on the plaintext port.
        PLAINTEXT,
        /// They can only be proxies of their own namespace and account.
        NODE
    }

    static IdentityConfig of(Settings settings, String trustDomain) {
        var authority = settings.choice(FathomdSetting.CA, AuthorityChoice.class);
        return new IdentityConfig(
                authority,
                Path.of(settings.text(FathomdSetting.ROOT_CA_DIR)),
                FathomdConfig.file(settings, FathomdSetting.CA_FILE),
                authority == AuthorityChoice.VAULT
                        ? Optional.of(VaultSettings.parse(settings.environment(), trustDomain))
                        : Optional.empty(),
                new RootConfig(
                        settings.time(FathomdSetting.ROOT_TTL),
                        settings.time(FathomdSetting.ROOT_CHECKS),
                        settings.on(FathomdSetting.MULTI_ROOT) ? RootChange.SUBSET_RELATED : RootChange.REFUSED),
                limits(settings),
                new TrustedAccounts(Set.copyOf(settings.words(FathomdSetting.TRUSTED_NODE_ACCOUNTS))),
                new CredentialConfig(ways(settings), audiences(settings), rule(settings), gateways(settings)),
                checks(settings),
                FathomdConfig.file(settings, FathomdSetting.TOKENS_DIR));
    }

    private static CertificateLimits limits(Settings settings) {
        var usual = settings.time(FathomdSetting.CERT_TTL);
        var longest = settings.time(FathomdSetting.MAX_CERT_TTL);
        if (!usual.isPositive() || longest.compareTo(usual) < 0) {
            throw settings.bad(
                    FathomdSetting.MAX_CERT_TTL,
                    "is below the usual lifetime",
                    "raise it or lower DEFAULT_WORKLOAD_CERT_TTL");
        }
        return new CertificateLimits(usual, longest);
    }

    private static List<String> audiences(Settings settings) {
        var audiences = settings.words(FathomdSetting.TOKEN_AUDIENCES);
        if (audiences.isEmpty()) {
            throw settings.bad(FathomdSetting.TOKEN_AUDIENCES, "names nobody", "give at least one, like istio-ca");
        }
        return audiences;
    }

    private static Optional<JwtRule> rule(Settings settings) {
        try {
            return Optional.of(settings.text(FathomdSetting.JWT_RULE))
                    .filter(text -> !text.isEmpty())
                    .map(JwtRule::parse);
        } catch (ProblemException e) {
            throw settings.bad(
                    FathomdSetting.JWT_RULE, "cannot be used", e.problem().fix());
        }
    }

    private static Set<Way> ways(Settings settings) {
        var names = settings.words(FathomdSetting.AUTHENTICATORS);
        var known = Arrays.stream(Way.values())
                .filter(way -> names.contains(way.name().toLowerCase(Locale.ROOT)))
                .collect(Collectors.toSet());
        if (known.size() != names.size()) {
            throw settings.bad(
                    FathomdSetting.AUTHENTICATORS,
                    "is not such a list",
                    "give some of " + FathomdSetting.AUTHENTICATORS.fallback());
        }
        return known;
    }

    private static List<IpBlock> gateways(Settings settings) {
        return settings.words(FathomdSetting.TRUSTED_GATEWAYS).stream()
                .map(text -> IpBlock.parse(text)
                        .orElseThrow(() -> settings.bad(
                                FathomdSetting.TRUSTED_GATEWAYS,
                                "is not a list of blocks",
                                "give some like 10.0.0.0/8")))
                .toList();
    }

    private static Set<Check> checks(Settings settings) {
        var checks = new HashSet<Check>();
        if (settings.on(FathomdSetting.XDS_AUTH)) {
            checks.add(Check.TLS);
            if (settings.on(FathomdSetting.XDS_AUTH_PLAINTEXT)) {
                checks.add(Check.PLAINTEXT);
            }
            if (settings.on(FathomdSetting.XDS_IDENTITY_CHECK)) {
                checks.add(Check.NODE);
            }
        }
        return checks;
    }

    public IdentityConfig {
        checks = Set.copyOf(checks);
    }
}
