// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.waypoint;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.Keys;
import io.fathom.control.ambient.waypoint.AccountChoices.Choice;
import io.fathom.control.ambient.waypoint.Waypoint.Traffic;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Optional;
import java.util.Set;
import java.util.function.BinaryOperator;

/// The waypoints that are for a single service account, by namespace. Few namespaces have any; in those a waypoint that
/// comes or goes is looked at by every workload and service, as a label of the namespace is.
final class AccountWaypoints {
    private final Table<ObjectKey, AccountChoices> forServices;
    private final Table<ObjectKey, AccountChoices> forWorkloads;

    AccountWaypoints(Flow flow, Waypoints waypoints) {
        var byNamespace = flow.index(
                "waypoints/for-accounts",
                waypoints.table(),
                waypoint ->
                        waypoint.account().isPresent() && waypoint.objection().isEmpty()
                                ? Set.of(Keys.namespaceOf(waypoint.key()))
                                : Set.<ObjectKey>of());
        forServices = choices(flow, waypoints, byNamespace, Traffic.SERVICE);
        forWorkloads = choices(flow, waypoints, byNamespace, Traffic.WORKLOAD);
    }

    AccountChoices of(Fetch<?> fetch, ObjectKey namespace, Traffic traffic) {
        var table = switch (traffic) {
            case SERVICE -> forServices;
            case WORKLOAD -> forWorkloads;
        };
        return fetch.one(table, namespace).orElse(AccountChoices.NONE);
    }

    private static Table<ObjectKey, AccountChoices> choices(
            Flow flow, Waypoints waypoints, Index<ObjectKey, ObjectKey, Waypoint> byNamespace, Traffic traffic) {
        return flow.reduce("waypoints/for-accounts/" + traffic.word(), byNamespace, (fetch, _, found) -> {
            var result = new HashMap<String, Choice>();
            for (var waypoint : found) {
                if (waypoint.serves(traffic)) {
                    var account = waypoint.account().orElseThrow();
                    var applicant = Applicant.object(waypoint.key(), traffic, Set.of(account));
                    var choice = new Choice(waypoint.age(), waypoints.attach(fetch, waypoint, applicant));
                    result.merge(account, choice, BinaryOperator.minBy(Comparator.naturalOrder()));
                }
            }
            return Optional.of(new AccountChoices(result)).filter(choices -> !choices.isEmpty());
        });
    }
}
