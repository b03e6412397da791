// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import static io.fathom.control.deploy.GatewayStatus.no;
import static io.fathom.control.deploy.GatewayStatus.yes;

import io.fathom.control.ambient.status.StatusCondition;
import io.fathom.control.deploy.GatewayStatus.ListenerStatus;
import io.fathom.control.gateway.Finding;
import io.fathom.control.gateway.GatewayVerdict.Permission;
import io.fathom.control.gateway.GatewayVerdict.SetVerdict;
import io.fathom.control.gateway.ListenerKey;
import io.fathom.control.gateway.ListenerVerdict;
import java.util.List;
import java.util.Optional;
import java.util.function.ToIntFunction;

/// What is to be said about a ListenerSet. Pure.
record ListenerSetStatus(List<StatusCondition> conditions, List<ListenerStatus> listeners) {
    ListenerSetStatus {
        conditions = List.copyOf(conditions);
        listeners = List.copyOf(listeners);
    }

    /// Whether a set has something to add, at a Gateway that works.
    static boolean isAccepted(SetVerdict verdict, StatusCondition gateway) {
        return refusal(verdict, gateway).isEmpty();
    }

    /// @param gateway what is said about the Gateway that it adds to
    static ListenerSetStatus of(SetVerdict verdict, GatewayStatus gateway, ToIntFunction<ListenerKey> attachedRoutes) {
        var programmed = gateway.condition("Programmed");
        var notRunning = programmed.status() == StatusCondition.Status.TRUE
                ? Optional.<String>empty()
                : Optional.of(programmed.message());
        var listeners = verdict.listeners().stream()
                .map(each -> ListenerStatus.of(each, notRunning, attachedRoutes.applyAsInt(each.key())))
                .toList();
        var refusal = refusal(verdict, gateway.condition("Accepted"));
        if (refusal.isPresent()) {
            var reason = refusal.get().reason();
            var message = refusal.get().message();
            return new ListenerSetStatus(
                    List.of(no("Accepted", reason, message), no("Programmed", reason, message)), listeners);
        }
        var accepted = verdict.listeners().stream().allMatch(ListenerVerdict::isValid)
                ? yes("Accepted", "Accepted", "its listeners are added")
                : yes("Accepted", "ListenersNotValid", "accepted, but some listeners are not valid");
        return new ListenerSetStatus(
                List.of(
                        accepted,
                        notRunning
                                .map(why -> no("Programmed", "Pending", why))
                                .orElseGet(() -> yes("Programmed", "Programmed", "its listeners serve"))),
                listeners);
    }

    private static Optional<Finding> refusal(SetVerdict verdict, StatusCondition gateway) {
        if (verdict.permission() == Permission.NOT_ALLOWED) {
            return Optional.of(Finding.bad(
                    "NotAllowed", "the Gateway's allowedListeners do not permit ListenerSets of this namespace"));
        }
        if (gateway.status() != StatusCondition.Status.TRUE) {
            return Optional.of(Finding.bad("ParentNotAccepted", "the Gateway is not accepted: " + gateway.message()));
        }
        return verdict.listeners().stream().anyMatch(ListenerVerdict::isValid)
                ? Optional.empty()
                : Optional.of(Finding.bad("ListenersNotValid", "no listener is valid"));
    }
}
