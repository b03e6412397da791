// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.meshconfig;

import io.fathom.wire.kube.manifest.LabelSelector;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import java.util.List;
import java.util.Optional;

/// The mesh configuration: key `mesh` of ConfigMap `istio` in the system namespace.
///
/// @param rootNamespace empty when not set
/// @param trustDomain empty when not set
/// @param discoverySelectors empty selects every namespace
/// @param caCertificates roots besides those of our own authority
/// @param extensionProviders with names of their own
public record MeshConfigManifest(
        Metadata metadata,
        String rootNamespace,
        String trustDomain,
        List<String> trustDomainAliases,
        List<MeshRoots> caCertificates,
        List<LabelSelector> discoverySelectors,
        List<ServiceScope> serviceScopes,
        Optional<EntryVisibility> entryVisibility,
        List<ExtensionProvider> extensionProviders,
        MeshTelemetry telemetry,
        MeshTraffic traffic)
        implements Manifest {

    /// Services that both selectors match have this scope.
    public record ServiceScope(LabelSelector namespaces, LabelSelector services, Scope scope) {
        public enum Scope {
            LOCAL,
            GLOBAL
        }
    }

    /// Who may see ServiceEntries: the first policy whose selectors all match the namespace, else the default.
    public record EntryVisibility(List<Policy> policies, Level fallback) {
        public enum Level {
            PUBLIC,
            NAMESPACE,
            NONE
        }

        public record Policy(List<LabelSelector> namespaces, Level level) {
            public Policy {
                namespaces = List.copyOf(namespaces);
            }
        }

        public EntryVisibility {
            policies = List.copyOf(policies);
        }
    }

    public MeshConfigManifest {
        trustDomainAliases = List.copyOf(trustDomainAliases);
        caCertificates = List.copyOf(caCertificates);
        discoverySelectors = List.copyOf(discoverySelectors);
        serviceScopes = List.copyOf(serviceScopes);
        extensionProviders = List.copyOf(extensionProviders);
    }
}
