// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.clusterset;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Hosts;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.service.GatewayServices;
import io.fathom.model.peering.ExportedService;
import io.fathom.model.peering.ExportedService.ExportedPort;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.core.ServiceManifest.Headless;
import io.fathom.wire.kube.core.ServiceManifest.TrafficPolicy;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.multicluster.ServiceExportManifest;
import java.util.Map;
import java.util.Optional;

/// The Services that clusters whose objects we read export, by their keys; those whose namespace is here, too. That of
/// a gateway stays where it is.
public final class Exports {
    private final Table<ObjectKey, ExportedService> table;

    /// @param inputs the objects of our own cluster, or of others
    /// @param home those of our own
    public Exports(Flow flow, Inputs inputs, Inputs home, GatewayServices gateways, AmbientConfig config) {
        table = flow.derive(
                inputs.areOurs() ? "exports" : "remote/exports",
                inputs.services(),
                (fetch, service) -> Optional.of(service)
                        .filter(own -> inputs.isExported(fetch, own)
                                && fetch.one(home.discovered(), new ObjectKey(config.clusterId(), "", own.namespace()))
                                        .orElse(false)
                                && gateways.role(fetch, Hosts.keyOf(own.key(), config.domain()))
                                        .isEmpty())
                        .map(own -> exported(fetch, own, inputs)));
    }

    public Table<ObjectKey, ExportedService> table() {
        return table;
    }

    private static ExportedService exported(Fetch<ObjectKey> fetch, ServiceManifest service, Inputs inputs) {
        var export = fetch.own(inputs.serviceExports());
        return new ExportedService(
                export.map(own -> own.metadata().created())
                        .orElse(service.metadata().created()),
                service.headless() == Headless.YES
                        ? ExportedService.ExportType.HEADLESS
                        : ExportedService.ExportType.CLUSTER_SET_IP,
                service.ports().stream()
                        .map(port -> new ExportedPort(
                                port.name(), port.number(), port.transport().name(), port.appProtocol()))
                        .toList(),
                service.ipFamilies(),
                service.affinity(),
                service.internalTrafficPolicy() == TrafficPolicy.LOCAL ? "Local" : "Cluster",
                service.trafficDistribution(),
                export.map(ServiceExportManifest::exportedLabels).orElse(Map.of()),
                export.map(ServiceExportManifest::exportedAnnotations).orElse(Map.of()));
    }
}
