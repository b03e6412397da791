package io.fathom.control.deploy;

import io.fathom.control.ambient.Condition;
import io.fathom.wire.kube.GatewayManifest.Address;
import io.fathom.wire.kube.GatewayManifest.RouteKind;
import java.util.List;

/// What is to be said about a Gateway.
///
/// @param attachedSets how many ListenerSets add to it
record GatewayStatus(
        List<Condition> conditions, List<Address> addresses, List<ListenerStatus> listeners, int attachedSets) {
    /// What is to be said about a listener.
    record ListenerStatus(String name, int attachedRoutes, List<RouteKind> supportedKinds, List<Condition> conditions) {
        ListenerStatus {
            supportedKinds = List.copyOf(supportedKinds);
            conditions = List.copyOf(conditions);
        }
    }

    GatewayStatus {
        conditions = List.copyOf(conditions);
        addresses = List.copyOf(addresses);
        listeners = List.copyOf(listeners);
    }

    /// What it says about an aspect.
    Condition condition(String type) {
        return conditions.stream()
                .filter(condition -> condition.type().equals(type))
                .findFirst()
                .orElseThrow();
    }

    static Condition yes(String type, String reason, String message) {
        return new Condition(type, Condition.Status.TRUE, reason, message);
    }

    static Condition no(String type, String reason, String message) {
        return new Condition(type, Condition.Status.FALSE, reason, message);
    }
}
