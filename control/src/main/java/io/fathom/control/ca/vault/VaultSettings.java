// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

import io.fathom.base.lang.DurationText;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.lang.Truth;
import io.fathom.control.ca.vault.VaultServer.Plaintext;
import io.fathom.wire.pki.KeyAlgorithm;
import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Makes a [VaultConfig] of texts. A text that cannot be used is a [ProblemException] that names the variable, and
/// never the value of a secret.
public final class VaultSettings {
    private final Map<String, String> texts;

    private VaultSettings(Map<String, String> texts) {
        this.texts = texts;
    }

    /// What the texts say, with defaults for those that are missing.
    ///
    /// @param texts by the names of variables, as the environment has them
    public static VaultConfig parse(Map<String, String> texts, String trustDomain) {
        var settings = new VaultSettings(texts);
        return new VaultConfig(settings.server(), settings.login(), settings.profile(trustDomain), settings.renewal());
    }

    private VaultServer server() {
        var address = uri(VaultSetting.ADDRESS);
        var plaintext = on(VaultSetting.PLAINTEXT) ? Plaintext.ANYWHERE : Plaintext.LOOPBACK_ONLY;
        var server = checked(VaultSetting.ADDRESS, () -> VaultServer.at(address, plaintext))
                .withRequestTimeout(time(VaultSetting.TIMEOUT));
        server = path(VaultSetting.CA_FILE).map(server::withCaFile).orElse(server);
        var namespace = given(VaultSetting.NAMESPACE);
        var plain = server;
        return checked(
                VaultSetting.NAMESPACE,
                () -> namespace.map(plain::withNamespace).orElse(plain));
    }

    private VaultLogin login() {
        var ways = Stream.of(VaultSetting.TOKEN, VaultSetting.TOKEN_FILE, VaultSetting.KUBERNETES_ROLE)
                .filter(setting -> given(setting).isPresent())
                .toList();
        if (ways.size() != 1) {
            throw new ProblemException(Problem.ofInput(
                    "vault-bad-setting",
                    ways.isEmpty() ? "there is no way to log in to Vault" : "there are several ways to log in to Vault",
                    "set exactly one of " + VaultSetting.TOKEN.variable() + ", " + VaultSetting.TOKEN_FILE.variable()
                            + " and " + VaultSetting.KUBERNETES_ROLE.variable()));
        }
        return switch (ways.getFirst()) {
            case TOKEN -> new VaultLogin.Token(token());
            case TOKEN_FILE ->
                new VaultLogin.TokenFile(path(VaultSetting.TOKEN_FILE).orElseThrow());
            default ->
                checked(
                        VaultSetting.KUBERNETES_MOUNT,
                        () -> new VaultLogin.Kubernetes(
                                text(VaultSetting.KUBERNETES_MOUNT),
                                text(VaultSetting.KUBERNETES_ROLE),
                                path(VaultSetting.KUBERNETES_JWT_FILE).orElseThrow()));
        };
    }

    private IntermediateProfile profile(String trustDomain) {
        var profile = checked(VaultSetting.MOUNT, () -> IntermediateProfile.of(text(VaultSetting.MOUNT), trustDomain));
        var named = checked(VaultSetting.COMMON_NAME, () -> profile.withCommonName(text(VaultSetting.COMMON_NAME)));
        var timed = checked(VaultSetting.LIFETIME, () -> named.withTtl(time(VaultSetting.LIFETIME)))
                .withKeyAlgorithm(key());
        var bound = on(VaultSetting.NAME_CONSTRAINT) ? timed.withPermittedUriDomains(List.of(trustDomain)) : timed;
        var rooted = path(VaultSetting.ROOTS_FILE).map(bound::withRootsFile).orElse(bound);
        return checked(
                VaultSetting.ISSUER,
                () -> given(VaultSetting.ISSUER).map(rooted::withIssuer).orElse(rooted));
    }

    private RenewalPolicy renewal() {
        var standard = RenewalPolicy.DEFAULT;
        return checked(
                VaultSetting.RENEW_AFTER,
                () -> new RenewalPolicy(
                        share(VaultSetting.RENEW_AFTER),
                        standard.jitter(),
                        share(VaultSetting.ALARM_BELOW),
                        standard.retryMin(),
                        standard.retryMax(),
                        time(VaultSetting.CHECK_EVERY),
                        time(VaultSetting.ROOT_OVERLAP)));
    }

    private Secret token() {
        try {
            return new Secret(text(VaultSetting.TOKEN).strip());
        } catch (IllegalArgumentException e) {
            throw new ProblemException(Problem.ofInput(
                    "vault-bad-setting",
                    "the value of " + VaultSetting.TOKEN.variable() + " is no token",
                    "give the token alone"));
        }
    }

    private URI uri(VaultSetting setting) {
        return checked(setting, () -> URI.create(text(setting)));
    }

    private KeyAlgorithm key() {
        var kinds = Arrays.stream(KeyAlgorithm.values()).map(Enum::name).collect(Collectors.joining(", "));
        return Arrays.stream(KeyAlgorithm.values())
                .filter(kind -> kind.name().equals(text(VaultSetting.KEY)))
                .findFirst()
                .orElseThrow(() -> bad(VaultSetting.KEY, "is no kind of key", "give one of " + kinds));
    }

    private boolean on(VaultSetting setting) {
        return Truth.parse(text(setting))
                .orElseThrow(() -> bad(setting, "is neither true nor false", "give true or false"));
    }

    private double share(VaultSetting setting) {
        try {
            return Double.parseDouble(text(setting));
        } catch (NumberFormatException e) {
            throw bad(setting, "is no number", "give a share between 0 and 1, like " + setting.fallback());
        }
    }

    private Duration time(VaultSetting setting) {
        return DurationText.parse(text(setting))
                .orElseThrow(() -> bad(setting, "is no time", "give a number and a unit, like " + setting.fallback()));
    }

    private Optional<Path> path(VaultSetting setting) {
        try {
            return Optional.of(text(setting)).filter(text -> !text.isEmpty()).map(Path::of);
        } catch (InvalidPathException e) {
            throw bad(setting, "is no path", "name a file");
        }
    }

    private Optional<String> given(VaultSetting setting) {
        return Optional.ofNullable(texts.get(setting.variable())).filter(text -> !text.isBlank());
    }

    private String text(VaultSetting setting) {
        return given(setting).orElse(setting.fallback());
    }

    private interface Making<T> {
        T make();
    }

    private <T> T checked(VaultSetting setting, Making<T> making) {
        try {
            return making.make();
        } catch (IllegalArgumentException e) {
            throw bad(setting, "cannot be used: " + e.getMessage(), setting.help());
        }
    }

    private ProblemException bad(VaultSetting setting, String what, String fix) {
        return new ProblemException(
                Problem.ofInput("vault-bad-setting", setting.variable() + "=" + text(setting) + " " + what, fix));
    }
}
