package io.fathom.control.deploy;

import io.fathom.base.lang.Problem;
import io.fathom.control.deploy.ListenerVerdicts.SetVerdict;
import java.util.List;
import java.util.Optional;

/// All that the status of a Gateway depends on, at one moment.
///
/// @param unresolved what the Gateway itself refers to and cannot be used
/// @param failure why its objects could not be written, if so
/// @param service that leads to its proxies
/// @param proxies whether one of them is ready
/// @param unknown host names among its addresses that are of no Service
record GatewaySight(
        GatewayObject gateway,
        GatewayProfile profile,
        Plan plan,
        ListenerVerdicts verdicts,
        Optional<ListenerVerdict.Finding> unresolved,
        Optional<Problem> failure,
        Optional<ServiceView> service,
        Proxies proxies,
        List<String> unknown) {
    GatewaySight {
        unknown = List.copyOf(unknown);
    }

    enum Proxies {
        READY,
        NOT_READY
    }

    List<ListenerVerdict> listeners() {
        return verdicts.own();
    }

    List<SetVerdict> sets() {
        return verdicts.sets();
    }

    GatewaySight withFailure(Optional<Problem> other) {
        return new GatewaySight(gateway, profile, plan, verdicts, unresolved, other, service, proxies, unknown);
    }

    /// That leads to proxies that somebody else runs.
    GatewaySight withService(Optional<ServiceView> other, List<String> unknownHosts) {
        return new GatewaySight(
                gateway, profile, plan, verdicts, unresolved, failure, other, Proxies.READY, unknownHosts);
    }
}
