// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.input;

import io.fathom.wire.kube.manifest.LabelSelector;
import io.fathom.wire.kube.meshconfig.ExtensionProvider;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest.EntryVisibility;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest.ServiceScope;
import io.fathom.wire.kube.meshconfig.MeshRoots;
import io.fathom.wire.kube.meshconfig.MeshTelemetry;
import io.fathom.wire.kube.meshconfig.MeshTraffic;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What holds for the whole mesh right now: MeshConfig over the settings of the program.
public record MeshSettings(
        String rootNamespace,
        String trustDomain,
        List<String> trustDomainAliases,
        List<MeshRoots> caCertificates,
        List<LabelSelector> discoverySelectors,
        List<ServiceScope> serviceScopes,
        Optional<EntryVisibility> entryVisibility,
        List<ExtensionProvider> extensionProviders,
        MeshTelemetry telemetry,
        MeshTraffic traffic) {

    /// The only key of the table that holds the settings.
    public static final String KEY = "mesh";

    private static final List<LabelSelector> LABELLED_GLOBAL =
            List.of(new LabelSelector(Map.of(Markers.GLOBAL, "true"), List.of()));

    static MeshSettings of(AmbientConfig config, Optional<MeshConfigManifest> manifest) {
        return new MeshSettings(
                manifest.map(MeshConfigManifest::rootNamespace)
                        .filter(name -> !name.isEmpty())
                        .orElse(config.rootNamespace()),
                manifest.map(MeshConfigManifest::trustDomain)
                        .filter(name -> !name.isEmpty())
                        .orElse(config.trustDomain()),
                manifest.map(MeshConfigManifest::trustDomainAliases).orElse(List.of()),
                manifest.map(MeshConfigManifest::caCertificates).orElse(List.of()),
                manifest.map(MeshConfigManifest::discoverySelectors).orElse(List.of()),
                manifest.map(MeshConfigManifest::serviceScopes).orElse(List.of()),
                manifest.flatMap(MeshConfigManifest::entryVisibility),
                manifest.map(MeshConfigManifest::extensionProviders).orElse(List.of()),
                manifest.map(MeshConfigManifest::telemetry).orElse(MeshTelemetry.NOTHING),
                manifest.map(MeshConfigManifest::traffic).orElse(MeshTraffic.NOTHING));
    }

    /// Whether objects of a namespace with these labels count at all.
    public boolean discovers(Map<String, String> labels) {
        return discoversEverything() || discoverySelectors.stream().anyMatch(selector -> selector.matches(labels));
    }

    public boolean discoversEverything() {
        return discoverySelectors.isEmpty();
    }

    /// Selectors of the services that belong to all clusters, in a namespace with these labels. Where MeshConfig says
    /// nothing about scopes, a label of the service does.
    public List<LabelSelector> globalServices(Map<String, String> labels) {
        if (serviceScopes.isEmpty()) {
            return LABELLED_GLOBAL;
        }
        return serviceScopes.stream()
                .filter(config -> config.scope() == ServiceScope.Scope.GLOBAL
                        && config.namespaces().matches(labels))
                .map(ServiceScope::services)
                .toList();
    }

    /// How a service is shared with other clusters; empty for one that stays in its cluster.
    ///
    /// @param namespace the labels of its namespace, which count where it says nothing itself
    public Optional<ServiceSharing> sharing(Map<String, String> namespace, Map<String, String> labels) {
        if (globalServices(namespace).stream().anyMatch(selector -> selector.matches(labels))) {
            return Optional.of(ServiceSharing.EVERY_NAME);
        }
        if (!said(Markers.SERVICE_SCOPE, namespace, labels).equals("global")) {
            return Optional.empty();
        }
        return Optional.of(
                said(Markers.SERVICE_TAKEOVER, namespace, labels).equals("true")
                        ? ServiceSharing.TAKEN_OVER
                        : ServiceSharing.MESH_NAME);
    }

    private static String said(String label, Map<String, String> namespace, Map<String, String> labels) {
        return labels.getOrDefault(label, namespace.getOrDefault(label, ""));
    }

    /// As workloads carry it: empty when it is the default.
    public String shownTrustDomain() {
        return shownTrustDomain(trustDomain);
    }

    /// Likewise any trust domain.
    public static String shownTrustDomain(String name) {
        return name.equals(AmbientConfig.DEFAULT_TRUST_DOMAIN) ? "" : name;
    }
}
