// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.MeshFlow;
import io.fathom.control.ambient.input.Feature;
import io.fathom.control.ambient.status.FullStatus;
import io.fathom.control.deploy.GatewayRow.ProxyPresence;
import io.fathom.control.deploy.PlannedObject.ObjectName;
import io.fathom.control.gateway.GatewayProfile;
import io.fathom.control.gateway.GatewayVerdict;
import io.fathom.control.gateway.ListenerKey;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.core.NamespaceManifest;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.gateway.GatewayClassManifest;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.manifest.Metadata.Lifecycle;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// What Gateways of ours become and say, on the flow of the mesh: a row for each, made again when something that it
/// looked at changes.
public final class GatewayTables {
    private final MeshFlow mesh;
    private final StatusPlanner planner;
    private final Table<ObjectKey, ServiceManifest> services;
    private final Table<ObjectKey, NamespaceManifest> namespaces;
    private final Index<ObjectKey, ObjectKey, PodManifest> pods;
    private final Table<ObjectKey, GatewayRow> rows;
    private final Table<ObjectKey, GatewayReport> reports;
    private final Table<ManifestId, FullStatus> statuses;

    /// Adds its tables to a flow.
    public GatewayTables(MeshFlow mesh) {
        this.mesh = mesh;
        var flow = mesh.flow();
        services = mesh.manifests(ServiceManifest.class);
        namespaces = mesh.manifests(NamespaceManifest.class);
        pods = flow.index("deploy/pods-by-gateway", mesh.manifests(PodManifest.class), GatewayTables::gateways);
        rows = flow.derive(
                "deploy/gateways", mesh.listeners().gateways(), (fetch, own) -> Optional.of(row(fetch, own)));
        planner = new StatusPlanner(
                mesh.config().domain(),
                mesh.config().has(Feature.SECRETS_BY_NAME) ? StatusPlanner.Home.CLUSTER : StatusPlanner.Home.FOLDER);
        reports = flow.derive(
                "deploy/reports",
                rows,
                (_, row) -> Optional.of(planner.report(new GatewaySight(row, Optional.empty(), row.foreign()))));
        statuses = flow.deriveMany("deploy/statuses", reports, (_, report) -> report.statuses());
    }

    /// By Gateway.
    Table<ObjectKey, GatewayRow> rows() {
        return rows;
    }

    StatusPlanner planner() {
        return planner;
    }

    Table<ObjectKey, GatewayClassManifest> classes() {
        return mesh.manifests(GatewayClassManifest.class);
    }

    String clusterId() {
        return mesh.config().clusterId();
    }

    /// What Gateways and ListenerSets say, as far as the mesh knows it.
    public Table<ManifestId, FullStatus> statuses() {
        return statuses;
    }

    private static Set<ObjectKey> gateways(PodManifest pod) {
        return Optional.ofNullable(pod.labels().get(GatewayLabels.GATEWAY_NAME))
                .map(name -> Set.of(pod.key().sibling(name)))
                .orElse(Set.of());
    }

    private GatewayRow row(Fetch<ObjectKey> fetch, GatewayVerdict verdict) {
        var gateway = verdict.gateway();
        var revision = Optional.ofNullable(gateway.labels().get(GatewayLabels.REVISION))
                .or(() -> fetch.one(namespaces, new ObjectKey(gateway.key().cluster(), "", gateway.namespace()))
                        .map(namespace -> namespace.labels().get(GatewayLabels.REVISION)));
        var network = mesh.network(fetch, gateway.key());
        var attached = new HashMap<ListenerKey, Integer>();
        verdict.listeners()
                .forEach(listener -> fetch.one(mesh.verdicts().attached(), listener.key())
                        .ifPresent(count -> attached.put(listener.key(), count)));
        if (!verdict.profile().isDeployed() || !DeployedGateway.isDeployedByAddress(gateway)) {
            var named = named(fetch, verdict);
            return new GatewayRow(
                    verdict,
                    revision,
                    network,
                    ProxyPresence.READY,
                    named.values().stream()
                            .flatMap(Optional::stream)
                            .findFirst()
                            .map(ServiceView::of),
                    named.entrySet().stream()
                            .filter(each -> each.getValue().isEmpty())
                            .map(Map.Entry::getKey)
                            .toList(),
                    Optional.empty(),
                    attached);
        }
        var key = gateway.key().sibling(DeployedGateway.objectName(gateway, verdict.profile()));
        var found = fetch.one(services, key);
        var own = found.filter(service -> isOurs(gateway, service));
        return new GatewayRow(
                verdict,
                revision,
                network,
                proxies(fetch.all(pods, gateway.key())),
                own.map(ServiceView::of),
                List.of(),
                found.filter(_ -> own.isEmpty())
                        .map(_ -> Deployer.foreign(
                                gateway.key().path(), new ObjectName(Kinds.SERVICE, key.namespace(), key.name()))),
                attached);
    }

    private static boolean isOurs(GatewayManifest gateway, ServiceManifest service) {
        return service.labels().containsKey(GatewayLabels.MANAGED)
                && gateway.name().equals(service.labels().get(GatewayLabels.GATEWAY_NAME));
    }

    /// A Gateway that runs already names its Services by host name.
    private Map<String, Optional<ServiceManifest>> named(Fetch<ObjectKey> fetch, GatewayVerdict verdict) {
        var result = new LinkedHashMap<String, Optional<ServiceManifest>>();
        if (verdict.profile() != GatewayProfile.REMOTE) {
            var gateway = verdict.gateway();
            for (var address : gateway.specAddresses()) {
                if (address.type().equals("Hostname")) {
                    var parts = address.value().split("\\.", -1);
                    var namespace = parts.length > 1 ? parts[1] : gateway.namespace();
                    var key = new ObjectKey(gateway.key().cluster(), namespace, parts[0]);
                    result.put(address.value(), fetch.one(services, key));
                }
            }
        }
        return result;
    }

    private static ProxyPresence proxies(List<PodManifest> pods) {
        if (pods.isEmpty()) {
            return ProxyPresence.NONE;
        }
        return pods.stream().anyMatch(pod -> pod.ready() && pod.metadata().lifecycle() == Lifecycle.ACTIVE)
                ? ProxyPresence.READY
                : ProxyPresence.NOT_READY;
    }
}
