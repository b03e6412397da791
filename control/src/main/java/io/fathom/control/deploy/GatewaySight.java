package io.fathom.control.deploy;

import io.fathom.base.lang.Problem;
import java.util.List;
import java.util.Optional;

/// All that the status of a Gateway depends on, at one moment.
///
/// @param failure why its objects could not be written, if so
/// @param service that leads to its proxies
/// @param proxies whether one of them is ready
record GatewaySight(
        GatewayObject gateway,
        GatewayProfile profile,
        Plan plan,
        List<ListenerVerdict> listeners,
        Optional<Problem> failure,
        Optional<ServiceView> service,
        Proxies proxies) {
    enum Proxies {
        READY,
        NOT_READY
    }

    GatewaySight withFailure(Optional<Problem> other) {
        return new GatewaySight(gateway, profile, plan, listeners, other, service, proxies);
    }

    /// That leads to proxies that somebody else runs.
    GatewaySight withService(ServiceView other) {
        return new GatewaySight(gateway, profile, plan, listeners, failure, Optional.of(other), Proxies.READY);
    }
}
