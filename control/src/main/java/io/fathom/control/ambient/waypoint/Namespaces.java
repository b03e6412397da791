// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.waypoint;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.input.Keys;
import io.fathom.control.ambient.input.MeshSettings;
import io.fathom.control.ambient.network.Entrances.Entrance;
import io.fathom.control.ambient.network.NetworkGateways;
import io.fathom.control.ambient.network.Networks;
import io.fathom.control.ambient.waypoint.NamespaceContext.NetworkSite;
import io.fathom.control.ambient.waypoint.Waypoint.Traffic;
import io.fathom.wire.kube.core.NamespaceManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.Optional;

/// One row per namespace for its workloads and one for its services. A label of a namespace is looked at once, not
/// once per pod, and a change that means nothing to pods reaches none of them.
public final class Namespaces {
    private final Networks networks;
    private final NetworkGateways gateways;
    private final Table<String, Entrance> entrances;
    private final Waypoints waypoints;
    private final AccountWaypoints accounts;
    private final Table<ObjectKey, NamespaceContext> contexts;
    private final Table<String, NamespaceContext> elsewhere;
    private final Table<ObjectKey, NamespaceDefaults> defaults;
    private final Table<String, NamespaceDefaults> defaultsElsewhere;

    public Namespaces(
            Flow flow,
            Inputs inputs,
            Networks networks,
            NetworkGateways gateways,
            Table<String, Entrance> entrances,
            Waypoints waypoints,
            AmbientConfig config) {
        this.networks = networks;
        this.gateways = gateways;
        this.entrances = entrances;
        this.waypoints = waypoints;
        accounts = new AccountWaypoints(flow, waypoints);
        contexts = flow.derive("namespaces/context", inputs.namespaces(), (fetch, namespace) -> {
            var site = site(fetch, namespace.key());
            var mesh = inputs.mesh(fetch);
            return Optional.of(new NamespaceContext(
                    mesh.discovers(namespace.labels()),
                    site.network(),
                    site.gateway(),
                    site.entered(),
                    mesh.shownTrustDomain(),
                    inherited(fetch, namespace, Traffic.WORKLOAD),
                    accounts.of(fetch, namespace.key(), Traffic.WORKLOAD)));
        });
        var home = new ObjectKey(config.clusterId(), "", "");
        elsewhere = flow.derive("namespaces/context-elsewhere", inputs.mesh(), (fetch, mesh) -> {
            var site = site(fetch, home);
            return Optional.of(new NamespaceContext(
                    mesh.discoversEverything(),
                    site.network(),
                    site.gateway(),
                    site.entered(),
                    mesh.shownTrustDomain(),
                    Attachment.nothing(),
                    AccountChoices.NONE));
        });
        defaults = flow.derive(
                "namespaces/defaults",
                inputs.namespaces(),
                (fetch, namespace) -> Optional.of(NamespaceDefaults.of(
                        inherited(fetch, namespace, Traffic.SERVICE),
                        accounts.of(fetch, namespace.key(), Traffic.SERVICE),
                        namespace.name(),
                        namespace.labels(),
                        namespace.annotations(),
                        inputs.mesh(fetch))));
        defaultsElsewhere = flow.derive(
                "namespaces/defaults-elsewhere",
                inputs.mesh(),
                (fetch, mesh) -> Optional.of(NamespaceDefaults.unknown(mesh)));
    }

    /// For the workload of that key. Costs one tracked fetch, five where the Namespace object is missing.
    public NamespaceContext context(Fetch<?> fetch, ObjectKey workload) {
        var namespace = Keys.namespaceOf(workload);
        return fetch.one(contexts, namespace).orElseGet(() -> {
            var context = fetch.one(elsewhere, MeshSettings.KEY).orElseThrow();
            var network = networks.of(fetch, workload);
            return (network.equals(context.network()) ? context : context.on(site(fetch, workload)))
                    .with(accounts.of(fetch, namespace, Traffic.WORKLOAD));
        });
    }

    /// For the service of that key.
    public NamespaceDefaults defaults(Fetch<?> fetch, ObjectKey service) {
        var namespace = Keys.namespaceOf(service);
        return fetch.one(defaults, namespace)
                .orElseGet(() -> fetch.one(defaultsElsewhere, MeshSettings.KEY)
                        .orElseThrow()
                        .with(accounts.of(fetch, namespace, Traffic.SERVICE)));
    }

    private NetworkSite site(Fetch<?> fetch, ObjectKey object) {
        var network = networks.of(fetch, object);
        return new NetworkSite(
                network,
                gateways.first(fetch, network),
                fetch.one(entrances, network).isPresent());
    }

    private Attachment inherited(Fetch<?> fetch, NamespaceManifest namespace, Traffic traffic) {
        return WaypointRequest.of(namespace.labels(), namespace.name())
                .map(request -> waypoints.attach(fetch, request, Applicant.namespace(namespace.key(), traffic)))
                .orElse(Attachment.nothing());
    }
}
