package io.fathom.control.deploy;

import io.fathom.control.ambient.Condition;
import io.fathom.control.ambient.ObjectStatus;
import io.fathom.control.deploy.GatewayStatus.ListenerStatus;
import io.fathom.wire.kube.GatewayManifest;
import io.fathom.wire.kube.ListenerSetManifest;
import io.fathom.wire.kube.ManifestId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What a Gateway says, and all ListenerSets that want to add to it.
record GatewayReport(GatewayManifest gateway, GatewayStatus status, List<SetReport> sets) {
    record SetReport(ListenerSetManifest set, ListenerSetStatus status) {}

    GatewayReport {
        sets = List.copyOf(sets);
    }

    /// For people: with the conditions of listeners under their names.
    Map<ManifestId, ObjectStatus> texts() {
        var result = new LinkedHashMap<ManifestId, ObjectStatus>();
        result.put(ManifestId.of(gateway), text(status.conditions(), status.listeners()));
        sets.forEach(each -> result.put(
                ManifestId.of(each.set()), text(each.status().conditions(), each.status().listeners())));
        return result;
    }

    private static ObjectStatus text(List<Condition> own, List<ListenerStatus> listeners) {
        var all = new ArrayList<>(own);
        for (var listener : listeners) {
            listener.conditions()
                    .forEach(each -> all.add(new Condition(
                            "listener " + listener.name() + ": " + each.type(),
                            each.status(),
                            each.reason(),
                            each.message())));
        }
        return new ObjectStatus(all, List.of());
    }
}
