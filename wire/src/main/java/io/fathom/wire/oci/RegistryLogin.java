// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.oci;

import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.MisreadException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/// Who one is to a registry.
///
/// @param basic the value of a basic `Authorization` header, without the scheme
public record RegistryLogin(String basic) {
    /// From the text of a Secret of type `kubernetes.io/dockerconfigjson`; empty when it does not know the registry.
    public static Optional<RegistryLogin> find(String dockerConfig, String registry) {
        try {
            for (var entry : Field.root(Json.parse("secret", dockerConfig))
                    .at("auths")
                    .entries()
                    .entrySet()) {
                var host = entry.getKey().replaceFirst("^https?://", "").replaceFirst("/.*$", "");
                if (host.equals(registry)) {
                    return login(entry.getValue());
                }
            }
        } catch (MisreadException _) {
            // as if it were empty
        }
        return Optional.empty();
    }

    private static Optional<RegistryLogin> login(Field auth) {
        if (!auth.at("auth").text().isEmpty()) {
            return Optional.of(new RegistryLogin(auth.at("auth").text()));
        }
        var pair = auth.at("username").text() + ":" + auth.at("password").text();
        return pair.length() > 1
                ? Optional.of(
                        new RegistryLogin(Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8))))
                : Optional.empty();
    }

    @Override
    public String toString() {
        return "***";
    }
}
