// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import io.fathom.control.ambient.status.StatusCondition;
import io.fathom.control.gateway.Finding;
import io.fathom.control.gateway.ListenerVerdict;
import io.fathom.wire.kube.gateway.GatewayManifest.Address;
import io.fathom.wire.kube.gateway.GatewayManifest.RouteKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What is to be said about a Gateway.
///
/// @param attachedSets how many ListenerSets add to it
record GatewayStatus(
        List<StatusCondition> conditions, List<Address> addresses, List<ListenerStatus> listeners, int attachedSets) {
    /// What is to be said about a listener.
    record ListenerStatus(
            String name, int attachedRoutes, List<RouteKind> supportedKinds, List<StatusCondition> conditions) {
        ListenerStatus {
            supportedKinds = List.copyOf(supportedKinds);
            conditions = List.copyOf(conditions);
        }

        /// @param notRunning why the Gateway does not serve at all, if so
        static ListenerStatus of(ListenerVerdict verdict, Optional<String> notRunning, int attachedRoutes) {
            var faults = verdict.faults();
            var conditions = new ArrayList<StatusCondition>();
            conditions.add(faults.objection()
                    .or(faults::conflict)
                    .map(finding -> no("Accepted", finding.reason(), finding.message()))
                    .orElseGet(() -> yes("Accepted", "Accepted", "listener accepted")));
            conditions.add(faults.conflict()
                    .map(finding -> yes("Conflicted", finding.reason(), finding.message()))
                    .orElseGet(() -> no("Conflicted", "NoConflicts", "no other listener is in the way")));
            conditions.add(faults.unresolved()
                    .map(finding -> no("ResolvedRefs", finding.reason(), finding.message()))
                    .orElseGet(() -> yes("ResolvedRefs", "ResolvedRefs", "all references are good")));
            conditions.add(programmed(verdict, notRunning));
            return new ListenerStatus(verdict.listener().name(), attachedRoutes, verdict.kinds(), conditions);
        }

        private static StatusCondition programmed(ListenerVerdict verdict, Optional<String> notRunning) {
            return verdict.hindrance()
                    .map(finding -> no(
                            "Programmed",
                            verdict.faults().conflict().map(Finding::reason).orElse("Invalid"),
                            finding.message()))
                    .or(() -> verdict.unknown().or(() -> notRunning).map(why -> no("Programmed", "Pending", why)))
                    .orElseGet(() -> yes("Programmed", "Programmed", "listener serves"));
        }
    }

    GatewayStatus {
        conditions = List.copyOf(conditions);
        addresses = List.copyOf(addresses);
        listeners = List.copyOf(listeners);
    }

    /// What it says about an aspect.
    StatusCondition condition(String type) {
        return conditions.stream()
                .filter(condition -> condition.type().equals(type))
                .findFirst()
                .orElseThrow();
    }

    static StatusCondition yes(String type, String reason, String message) {
        return new StatusCondition(type, StatusCondition.Status.TRUE, reason, message);
    }

    static StatusCondition no(String type, String reason, String message) {
        return new StatusCondition(type, StatusCondition.Status.FALSE, reason, message);
    }
}
