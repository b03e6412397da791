// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.workload;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.input.MeshSettings;
import io.fathom.control.ambient.network.NetworkGateway;
import io.fathom.control.ambient.network.NetworkGateways;
import io.fathom.model.mesh.GatewayAddress.GatewayDestination;
import io.fathom.model.mesh.NamespacedHostname;
import io.fathom.model.mesh.NetworkAddress;
import io.fathom.model.mesh.Workload;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// Each address of a gateway of another network as a workload, so that clients know which identity answers there.
public final class NetworkGatewayWorkloads {
    private final Table<String, Workload> workloads;

    public NetworkGatewayWorkloads(Flow flow, Inputs inputs, NetworkGateways gateways) {
        workloads = flow.deriveMany(
                "network-gateways/workloads", gateways.byGateway(), (fetch, found) -> workloads(fetch, inputs, found));
    }

    public Table<String, Workload> workloads() {
        return workloads;
    }

    private static Map<String, Workload> workloads(Fetch<?> fetch, Inputs inputs, List<NetworkGateway> gateways) {
        var mesh = inputs.mesh(fetch);
        return gateways.stream()
                .map(gateway -> workload(
                        gateway,
                        gateway.trustDomain().isEmpty()
                                ? mesh.shownTrustDomain()
                                : MeshSettings.shownTrustDomain(gateway.trustDomain())))
                .collect(Collectors.toMap(Workload::uid, own -> own, (first, _) -> first, LinkedHashMap::new));
    }

    private static Workload workload(NetworkGateway gateway, String trustDomain) {
        var draft = new WorkloadDraft(
                gateway.uid(), gateway.uid(), gateway.gateway().namespace());
        draft.network = gateway.network();
        draft.trustDomain = trustDomain;
        draft.serviceAccount = gateway.account();
        switch (gateway.address().destination()) {
            case GatewayDestination.ByHostname(NamespacedHostname host) -> draft.hostname = host.hostname();
            case GatewayDestination.ByAddress(NetworkAddress address) ->
                draft.addresses = List.of(address.block().address());
        }
        return draft.finish();
    }
}
