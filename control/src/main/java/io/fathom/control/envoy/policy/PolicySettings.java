// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import io.fathom.wire.kube.meshconfig.ExtensionProvider;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// What policies have to know of the mesh.
///
/// @param rootNamespace whose policies reach all namespaces
/// @param trustDomainAliases former names of the trust domain
/// @param customProviders how many may decide about one service
public record PolicySettings(
        String rootNamespace,
        String trustDomain,
        List<String> trustDomainAliases,
        List<ExtensionProvider> providers,
        CustomProviders customProviders) {

    /// How many providers the CUSTOM policies of one service may name.
    public enum CustomProviders {
        ONE,
        SEVERAL
    }

    public PolicySettings {
        trustDomainAliases = List.copyOf(trustDomainAliases);
        providers = List.copyOf(providers);
    }

    Optional<ExtensionProvider> provider(String name) {
        return providers.stream()
                .filter(provider -> provider.name().equals(name))
                .findFirst();
    }

    List<String> trustDomains() {
        return Stream.concat(Stream.of(trustDomain), trustDomainAliases.stream())
                .distinct()
                .toList();
    }
}
