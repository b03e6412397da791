// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import io.fathom.control.ambient.status.FullStatus;
import io.fathom.control.ambient.status.ObjectStatus;
import io.fathom.control.ambient.status.StatusCondition;
import io.fathom.control.deploy.GatewayStatus.ListenerStatus;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.gateway.ListenerSetManifest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What a Gateway says, and all ListenerSets that want to add to it.
record GatewayReport(GatewayManifest gateway, GatewayStatus status, List<SetReport> sets) {
    record SetReport(ListenerSetManifest set, ListenerSetStatus status) {}

    GatewayReport {
        sets = List.copyOf(sets);
    }

    /// By object.
    Map<ManifestId, FullStatus> statuses() {
        var result = new LinkedHashMap<ManifestId, FullStatus>();
        result.put(ManifestId.of(gateway), full(status.conditions(), status.listeners()));
        sets.forEach(each -> result.put(
                ManifestId.of(each.set()),
                full(each.status().conditions(), each.status().listeners())));
        return result;
    }

    private static FullStatus full(List<StatusCondition> own, List<ListenerStatus> listeners) {
        return new FullStatus(
                new ObjectStatus(own, List.of()),
                listeners.stream()
                        .map(listener ->
                                new FullStatus.StatusSection("listeners", listener.name(), listener.conditions()))
                        .toList());
    }
}
