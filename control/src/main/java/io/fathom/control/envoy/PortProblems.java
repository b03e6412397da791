// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.MeshFlow;
import io.fathom.control.envoy.ingress.PortPlan;
import io.fathom.control.envoy.ingress.ServerReview;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.control.problem.ObjectProblem;
import io.fathom.control.problem.ProblemKey;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.networking.IstioGatewayManifest;
import java.util.List;
import java.util.Map;

/// Servers that are not served, because another has their port or their host, by the Gateway that asks for them; and
/// what servers of Istio Gateways name that no proxy knows.
final class PortProblems {
    private final IngressEntrances entrances;
    private final Table<ProblemKey, ObjectProblem> table;

    PortProblems(MeshFlow mesh, Groups groups, IngressEntrances entrances) {
        this.entrances = entrances;
        var flow = mesh.flow();
        table = flow.join(
                "envoy/port-problems",
                List.of(
                        flow.deriveMany("envoy/port-conflicts", groups.table(), this::conflicts),
                        flow.deriveMany(
                                "envoy/server-problems",
                                mesh.manifests(IstioGatewayManifest.class),
                                (_, gateway) -> ObjectProblem.rows(ServerReview.problems(gateway)))));
    }

    Table<ProblemKey, ObjectProblem> table() {
        return table;
    }

    private Map<ProblemKey, ObjectProblem> conflicts(Fetch<ObjectKey> fetch, Group group) {
        return group.proxies().role() != ProxyRole.INGRESS
                ? Map.of()
                : ObjectProblem.rows(PortPlan.of(entrances.servers(fetch, group)).conflicts().stream()
                        .map(conflict -> ObjectProblem.error(conflict.owner(), "", conflict.problem()))
                        .toList());
    }
}
