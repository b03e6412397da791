// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.clusterset;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.clusterset.ClusterSetService.ExportConflict;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.input.Keys;
import io.fathom.control.ambient.status.ObjectStatus;
import io.fathom.control.ambient.status.StatusCondition;
import io.fathom.control.ambient.status.StatusCondition.Status;
import io.fathom.model.peering.ExportedService;
import io.fathom.wire.kube.ConditionTypes;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// What the ServiceExports of our cluster say, with the reasons of KEP-1645. Every cluster tells its own exports of a
/// conflict, so that all who take part in it see it.
public final class ExportStatuses {
    private final Table<ObjectKey, ObjectStatus> table;

    /// @param exports what our cluster exports
    public ExportStatuses(Flow flow, Inputs inputs, Table<ObjectKey, ExportedService> exports, ClusterSet set) {
        table = flow.derive(
                "cluster-set/statuses",
                inputs.serviceExports(),
                (fetch, export) -> Optional.of(status(fetch, inputs, exports, set)));
    }

    public Table<ObjectKey, ObjectStatus> table() {
        return table;
    }

    private static ObjectStatus status(
            Fetch<ObjectKey> fetch, Inputs inputs, Table<ObjectKey, ExportedService> exports, ClusterSet set) {
        var path = fetch.key().path();
        var service = fetch.own(inputs.services());
        if (service.isEmpty()) {
            return invalid("NoService", "there is no Service " + path + " to export");
        }
        if (service.get().type() == ServiceManifest.Type.EXTERNAL_NAME) {
            return invalid(
                    "InvalidServiceType", "Service " + path + " is an ExternalName: there is nothing of it to export");
        }
        if (fetch.one(inputs.discovered(), Keys.namespaceOf(fetch.key())).isEmpty()) {
            return invalid("NoNamespace", "there is no Namespace " + fetch.key().namespace() + " to export from");
        }
        if (fetch.own(exports).isEmpty()) {
            return invalid("InvalidServiceType", "Service " + path + " is that of a gateway, which is never exported");
        }
        var conflicts = fetch.one(set.services(), path)
                .map(ClusterSetService::conflicts)
                .orElse(List.of());
        return ObjectStatus.of(
                new StatusCondition(
                        ConditionTypes.EXPORT_VALID, Status.TRUE, "Valid", "Service " + path + " can be exported"),
                new StatusCondition(
                        ConditionTypes.EXPORT_READY,
                        Status.TRUE,
                        "Exported",
                        "all clusters of the mesh may call Service " + path),
                conflicts.isEmpty()
                        ? new StatusCondition(
                                ConditionTypes.EXPORT_CONFLICT,
                                Status.FALSE,
                                "NoConflicts",
                                "all clusters that export Service " + path + " agree")
                        : new StatusCondition(
                                ConditionTypes.EXPORT_CONFLICT,
                                Status.TRUE,
                                conflicts.stream().map(ExportConflict::reason).collect(Collectors.joining(",")),
                                conflicts.stream().map(ExportConflict::message).collect(Collectors.joining(". "))));
    }

    private static ObjectStatus invalid(String reason, String message) {
        return ObjectStatus.of(
                new StatusCondition(ConditionTypes.EXPORT_VALID, Status.FALSE, reason, message),
                new StatusCondition(
                        ConditionTypes.EXPORT_READY, Status.FALSE, "Failed", "nothing is exported: " + message));
    }
}
