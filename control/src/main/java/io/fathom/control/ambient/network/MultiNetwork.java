// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.network;

import io.fathom.base.flow.Cut;
import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Feature;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.input.Keys;
import java.util.Optional;
import java.util.Set;

/// Whether the mesh has more than one network. A setting says so, or a Gateway does: one that lets other networks in,
/// or one that stands for the gateway of another cluster.
public final class MultiNetwork {
    private static final String KEY = "mesh";

    private final boolean byWord;
    private final Table<String, Boolean> byGateways;

    public MultiNetwork(Flow flow, Inputs inputs, AmbientConfig config) {
        byWord = config.has(Feature.MULTI_NETWORK) || config.has(Feature.PEERING);
        var reasons = flow.derive("multi-network/gateways", inputs.gateways(), (fetch, gateway) -> {
            var gatewayClass = fetch.one(inputs.gatewayClasses(), Keys.clusterWide(gateway.key(), gateway.className()));
            return switch (GatewayKind.of(gateway.className(), gatewayClass)) {
                case REMOTE, EAST_WEST -> Optional.of(Boolean.TRUE);
                case WAYPOINT, INGRESS -> Optional.empty();
            };
        });
        byGateways = flow.reduce(
                "multi-network",
                flow.index("multi-network/reasons", reasons, _ -> Set.of(KEY)),
                (fetch, _, _) -> Optional.of(Boolean.TRUE));
    }

    public boolean isOn(Fetch<?> fetch) {
        return byWord || fetch.one(byGateways, KEY).isPresent();
    }

    public boolean isOn(Cut cut) {
        return byWord || cut.of(byGateways).find(KEY).isPresent();
    }
}
