package io.fathom.node.proxy.outbound;

import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.routing.MeshView;
import io.fathom.model.routing.OutboundDecision;
import io.fathom.model.routing.OutboundDecision.Refuse;
import io.fathom.model.routing.Refusal;
import java.util.Optional;

/// What a refused connection was refused for the want of. Worth asking the control plane for when it tells only of what
/// it is asked for.
final class Missing {
    private Missing() {}

    /// The name of the destination's waypoint, if that is what is not known.
    static Optional<String> of(OutboundDecision decision, MeshView view, String network, IpPort target) {
        if (!(decision instanceof Refuse refuse) || refuse.reason() != Refusal.WAYPOINT_UNKNOWN) {
            return Optional.empty();
        }
        var service = refuse.destination().service();
        return service.isPresent()
                ? service.get().waypoint().map(Missing::name)
                : view.workloadAt(network, target.ip())
                        .flatMap(workload -> workload.waypoint())
                        .map(Missing::name);
    }

    private static String name(GatewayAddress waypoint) {
        return switch (waypoint.destination()) {
            case GatewayAddress.Destination.ByHostname(var host) -> host.key();
            case GatewayAddress.Destination.ByAddress(var address) -> address.alias();
        };
    }
}
