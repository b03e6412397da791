package io.fathom.control.deploy;

import static io.fathom.control.deploy.GatewayStatus.no;
import static io.fathom.control.deploy.GatewayStatus.yes;

import io.fathom.control.ambient.Condition;
import io.fathom.control.deploy.GatewayStatus.ListenerStatus;
import io.fathom.wire.kube.GatewayManifest.Listener;
import io.fathom.wire.kube.GatewayManifest.RouteKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What there is to say about a listener, apart from whether its Gateway runs. Pure.
///
/// @param objection to the listener as such, a reason and a message
/// @param conflict with another listener
/// @param unresolved a reference that leads nowhere
record ListenerVerdict(
        Listener listener,
        List<RouteKind> kinds,
        Optional<Finding> objection,
        Optional<Finding> conflict,
        Optional<Finding> unresolved) {

    /// A reason of the Gateway API, and our words.
    record Finding(String reason, String message) {}

    boolean isAccepted() {
        return objection.isEmpty() && conflict.isEmpty();
    }

    /// Whether it can serve something.
    boolean isValid() {
        return isAccepted()
                && unresolved
                        .filter(finding -> !finding.reason().equals("InvalidRouteKinds") || kinds.isEmpty())
                        .isEmpty();
    }

    /// @param notRunning why the Gateway does not serve at all, if so
    ListenerStatus status(Optional<String> notRunning, int attachedRoutes) {
        var conditions = new ArrayList<Condition>();
        conditions.add(objection
                .or(() -> conflict)
                .map(finding -> no("Accepted", finding.reason(), finding.message()))
                .orElseGet(() -> yes("Accepted", "Accepted", "listener accepted")));
        conditions.add(conflict.map(finding -> yes("Conflicted", finding.reason(), finding.message()))
                .orElseGet(() -> no("Conflicted", "NoConflicts", "no other listener is in the way")));
        conditions.add(unresolved
                .map(finding -> no("ResolvedRefs", finding.reason(), finding.message()))
                .orElseGet(() -> yes("ResolvedRefs", "ResolvedRefs", "all references are good")));
        if (!isValid()) {
            var reason = conflict.map(Finding::reason).orElse("Invalid");
            conditions.add(no("Programmed", reason, "see the other conditions"));
        } else {
            conditions.add(notRunning
                    .map(why -> no("Programmed", "Pending", why))
                    .orElseGet(() -> yes("Programmed", "Programmed", "listener serves")));
        }
        return new ListenerStatus(listener.name(), attachedRoutes, kinds, conditions);
    }
}
