// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import static io.fathom.control.deploy.Maps.map;

import io.fathom.control.ambient.status.StatusCondition;
import io.fathom.control.deploy.GatewayStatus.ListenerStatus;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Tree;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// Statuses as they stand in objects. Pure.
///
/// A condition keeps the time of its last transition while its status stays the same. Conditions of others are theirs.
final class StatusTree {
    private StatusTree() {}

    /// The status to apply, given the one that is there.
    static Tree of(GatewayStatus status, long generation, Tree before, Instant now) {
        var field = Field.root(before);
        var tree = map(
                "addresses",
                status.addresses().stream()
                        .map(address -> map("type", address.type(), "value", address.value()))
                        .toList(),
                "conditions",
                conditions(status.conditions(), generation, field, now),
                "listeners",
                listeners(status.listeners(), generation, field, now));
        if (status.attachedSets() > 0) { // definitions without ListenerSets do not know this
            tree.put("attachedListenerSets", status.attachedSets());
        }
        return Json.of(tree);
    }

    static Tree of(ListenerSetStatus status, long generation, Tree before, Instant now) {
        var field = Field.root(before);
        return Json.of(map(
                "conditions",
                conditions(status.conditions(), generation, field, now),
                "listeners",
                listeners(status.listeners(), generation, field, now)));
    }

    private static List<Object> listeners(List<ListenerStatus> all, long generation, Field before, Instant now) {
        var listeners = new ArrayList<Object>();
        for (var listener : all) {
            var old = before.at("listeners").items().stream()
                    .filter(item -> item.at("name").text().equals(listener.name()))
                    .findFirst()
                    .orElse(before.at("none"));
            listeners.add(map(
                    "name", listener.name(),
                    "attachedRoutes", listener.attachedRoutes(),
                    "supportedKinds", kinds(listener),
                    "conditions", conditions(listener.conditions(), generation, old, now)));
        }
        return listeners;
    }

    /// The status of a class: conditions only.
    static Tree of(List<StatusCondition> conditions, long generation, Tree before, Instant now) {
        return Json.of(map("conditions", conditions(conditions, generation, Field.root(before), now)));
    }

    /// Whether the status in an object says all that is wanted already.
    static boolean says(Tree before, Tree wanted) {
        var want = Field.root(wanted);
        var types = want.at("conditions").items().stream()
                .map(condition -> condition.at("type").text())
                .collect(Collectors.toSet());
        return summary(Field.root(before), types).equals(summary(want, types));
    }

    private static Map<String, Object> summary(Field status, Set<String> types) {
        var listeners = new TreeMap<String, Object>();
        for (var listener : status.at("listeners").items()) {
            var kinds = listener.at("supportedKinds").items().stream()
                    .map(Field::textMap)
                    .toList();
            var all = listener.at("conditions").items().stream()
                    .map(condition -> condition.at("type").text())
                    .collect(Collectors.toSet());
            listeners.put(
                    listener.at("name").text(),
                    List.of(
                            listener.at("attachedRoutes").integer(0, Integer.MAX_VALUE),
                            kinds,
                            conditions(listener, all)));
        }
        return map(
                "addresses",
                status.at("addresses").items().stream()
                        .map(address -> address.at("type").text("IPAddress") + " "
                                + address.at("value").text())
                        .toList(),
                "conditions",
                conditions(status, types),
                "listeners",
                listeners,
                "attachedListenerSets",
                status.at("attachedListenerSets").integer(0, Integer.MAX_VALUE).orElse(0));
    }

    private static Map<String, Object> conditions(Field status, Set<String> types) {
        var conditions = new TreeMap<String, Object>();
        for (var condition : status.at("conditions").items()) {
            if (types.contains(condition.at("type").text())) {
                conditions.put(
                        condition.at("type").text(),
                        List.of(
                                condition.at("status").text(),
                                condition.at("reason").text(),
                                condition.at("message").text(),
                                condition.at("observedGeneration").integer(0, Integer.MAX_VALUE)));
            }
        }
        return conditions;
    }

    private static List<Object> kinds(ListenerStatus listener) {
        return listener.supportedKinds().stream()
                .<Object>map(kind -> map("group", kind.group(), "kind", kind.kind()))
                .toList();
    }

    private static List<Object> conditions(
            List<StatusCondition> conditions, long generation, Field before, Instant now) {
        return conditions.stream()
                .<Object>map(condition -> map(
                        "type", condition.type(),
                        "status", condition.status().text(),
                        "reason", condition.reason(),
                        "message", condition.message(),
                        "observedGeneration", generation,
                        "lastTransitionTime", since(condition, before, now)))
                .toList();
    }

    private static String since(StatusCondition condition, Field before, Instant now) {
        return before.at("conditions").items().stream()
                .filter(old -> old.at("type").text().equals(condition.type())
                        && old.at("status").text().equals(condition.status().text()))
                .map(old -> old.at("lastTransitionTime").text())
                .filter(time -> !time.isEmpty())
                .findFirst()
                .orElseGet(() -> now.truncatedTo(ChronoUnit.SECONDS).toString());
    }
}
