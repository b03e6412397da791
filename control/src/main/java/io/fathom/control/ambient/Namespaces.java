package io.fathom.control.ambient;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.Waypoint.Traffic;
import io.fathom.wire.kube.NamespaceManifest;
import io.fathom.wire.kube.ObjectKey;
import java.util.Optional;

/// One row per namespace for its workloads and one for its services. A label of a namespace is looked at once, not
/// once per pod, and a change that means nothing to pods reaches none of them.
final class Namespaces {
    private final Waypoints waypoints;
    private final Table<ObjectKey, NamespaceContext> contexts;
    private final Table<String, NamespaceContext> elsewhere;
    private final Table<ObjectKey, NamespaceDefaults> defaults;
    private final Table<String, NamespaceDefaults> defaultsElsewhere;

    Namespaces(
            Flow flow,
            Inputs inputs,
            Networks networks,
            NetworkGateways gateways,
            Waypoints waypoints,
            AmbientConfig config) {
        this.waypoints = waypoints;
        contexts = flow.derive("namespaces/context", inputs.namespaces(), (fetch, namespace) -> {
            var network = networks.of(fetch, namespace.key());
            var mesh = inputs.mesh(fetch);
            return Optional.of(new NamespaceContext(
                    mesh.discovers(namespace.labels()),
                    network,
                    gateways.first(fetch, network),
                    mesh.shownTrustDomain(),
                    inherited(fetch, namespace, Traffic.WORKLOAD)));
        });
        var home = new ObjectKey(config.clusterId(), "", "");
        elsewhere = flow.derive("namespaces/context-elsewhere", inputs.mesh(), (fetch, mesh) -> {
            var network = networks.of(fetch, home);
            return Optional.of(new NamespaceContext(
                    mesh.discoversEverything(),
                    network,
                    gateways.first(fetch, network),
                    mesh.shownTrustDomain(),
                    Attachment.nothing()));
        });
        defaults = flow.derive(
                "namespaces/defaults",
                inputs.namespaces(),
                (fetch, namespace) -> Optional.of(NamespaceDefaults.of(
                        inherited(fetch, namespace, Traffic.SERVICE),
                        namespace.name(),
                        namespace.labels(),
                        namespace.annotations(),
                        inputs.mesh(fetch))));
        defaultsElsewhere = flow.derive(
                "namespaces/defaults-elsewhere",
                inputs.mesh(),
                (fetch, mesh) -> Optional.of(NamespaceDefaults.unknown(mesh)));
    }

    /// For the workload of that key. Costs one tracked fetch, two where the Namespace object is missing.
    NamespaceContext context(Fetch<?> fetch, ObjectKey workload) {
        return fetch.one(contexts, Keys.namespaceOf(workload))
                .orElseGet(() -> fetch.one(elsewhere, MeshSettings.KEY).orElseThrow());
    }

    /// For the service of that key.
    NamespaceDefaults defaults(Fetch<?> fetch, ObjectKey service) {
        return fetch.one(defaults, Keys.namespaceOf(service))
                .orElseGet(() -> fetch.one(defaultsElsewhere, MeshSettings.KEY).orElseThrow());
    }

    private Attachment inherited(Fetch<?> fetch, NamespaceManifest namespace, Traffic traffic) {
        return WaypointRequest.of(namespace.labels(), namespace.name())
                .map(request -> waypoints.attach(fetch, namespace.key(), request, traffic, Waypoints.Origin.NAMESPACE))
                .orElse(Attachment.nothing());
    }
}
