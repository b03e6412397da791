// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.waypoint;

import io.fathom.control.ambient.input.Markers;
import io.fathom.control.ambient.input.MeshSettings;
import io.fathom.wire.kube.manifest.LabelSelector;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest.EntryVisibility;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What the services of a namespace get where they do not say otherwise.
///
/// @param waypoint what the namespace asks for, decided for services
/// @param accounts what it has for services with workloads of single service accounts
/// @param canary the second waypoint it asks for
/// @param canaryWeight as annotated
/// @param ingress the label about ingress gateways
/// @param distribution the annotation about traffic distribution, empty when absent
/// @param visibility of its ServiceEntries; empty when nothing is configured
/// @param global selectors of the services that other clusters see
public record NamespaceDefaults(
        Attachment waypoint,
        AccountChoices accounts,
        Optional<WaypointRequest> canary,
        Optional<String> canaryWeight,
        Optional<String> ingress,
        String distribution,
        Optional<EntryVisibility.Level> visibility,
        List<LabelSelector> global) {

    /// Where there is no Namespace object.
    static NamespaceDefaults unknown(MeshSettings mesh) {
        return of(Attachment.nothing(), AccountChoices.NONE, "", Map.of(), Map.of(), mesh, List.of());
    }

    static NamespaceDefaults of(
            Attachment waypoint,
            AccountChoices accounts,
            String name,
            Map<String, String> labels,
            Map<String, String> annotations,
            MeshSettings mesh) {
        return of(waypoint, accounts, name, labels, annotations, mesh, mesh.globalServices(labels));
    }

    private static NamespaceDefaults of(
            Attachment waypoint,
            AccountChoices accounts,
            String name,
            Map<String, String> labels,
            Map<String, String> annotations,
            MeshSettings mesh,
            List<LabelSelector> global) {
        return new NamespaceDefaults(
                waypoint,
                accounts,
                WaypointRequest.canaryOf(labels, name),
                Optional.ofNullable(annotations.get(Markers.CANARY_WEIGHT)),
                Optional.ofNullable(labels.get(Markers.INGRESS_USE_WAYPOINT)),
                annotations.getOrDefault(Markers.TRAFFIC_DISTRIBUTION, ""),
                mesh.entryVisibility().map(config -> level(config, labels)),
                global);
    }

    NamespaceDefaults with(AccountChoices choices) {
        return new NamespaceDefaults(
                waypoint, choices, canary, canaryWeight, ingress, distribution, visibility, global);
    }

    private static EntryVisibility.Level level(EntryVisibility config, Map<String, String> labels) {
        return config.policies().stream()
                .filter(policy -> policy.namespaces().stream().allMatch(selector -> selector.matches(labels)))
                .map(EntryVisibility.Policy::level)
                .findFirst()
                .orElse(config.fallback());
    }

    /// Whether a service with these labels belongs to all clusters.
    public boolean isGlobal(Map<String, String> serviceLabels) {
        return global.stream().anyMatch(selector -> selector.matches(serviceLabels));
    }
}
