package io.fathom.control.envoy;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Table;
import io.fathom.base.lang.Problem;
import io.fathom.control.ambient.MeshFlow;
import io.fathom.control.envoy.ingress.PortPlan;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.ObjectKey;
import java.util.LinkedHashMap;
import java.util.Map;

/// Servers that are not served, because another has their port or their host, by the Gateway that asks for them.
final class PortProblems {
    private final IngressEntrances entrances;
    private final Table<ManifestId, Problem> table;

    PortProblems(MeshFlow mesh, Groups groups, IngressEntrances entrances) {
        this.entrances = entrances;
        table = mesh.flow().deriveMany("envoy/port-problems", groups.table(), this::conflicts);
    }

    Table<ManifestId, Problem> table() {
        return table;
    }

    private Map<ManifestId, Problem> conflicts(Fetch<ObjectKey> fetch, Group group) {
        var result = new LinkedHashMap<ManifestId, Problem>();
        if (group.proxies().role() == ProxyRole.INGRESS) {
            PortPlan.of(entrances.servers(fetch, group))
                    .conflicts()
                    .forEach(conflict -> result.putIfAbsent(conflict.owner(), conflict.problem()));
        }
        return result;
    }
}
