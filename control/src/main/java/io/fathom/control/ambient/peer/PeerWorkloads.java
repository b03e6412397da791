// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.peer;

import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.network.NetworkGateway;
import io.fathom.control.ambient.workload.FoldedWorkload;
import io.fathom.control.ambient.workload.WorkloadDraft;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.Workload;
import io.fathom.model.peering.ServiceSummary.LocalityShare;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The endpoints that another cluster has of a service, as one workload for each of its gateways and localities:
/// without an address, with the capacity of what is ready. Where nothing is ready it is unhealthy.
public final class PeerWorkloads {
    private final Table<String, FoldedWorkload> folded;
    private final Table<String, Workload> workloads;

    public PeerWorkloads(Flow flow, Peers peers) {
        folded = flow.deriveMany("peers/folded", peers.table(), (fetch, service) -> workloads(service));
        workloads = flow.derive("peers/workloads", folded, (fetch, found) -> Optional.of(found.workload()));
    }

    /// By uid, each with the gateway that it is behind.
    public Table<String, FoldedWorkload> folded() {
        return folded;
    }

    /// By uid.
    public Table<String, Workload> workloads() {
        return workloads;
    }

    private static Map<String, FoldedWorkload> workloads(PeerService service) {
        var result = new LinkedHashMap<String, FoldedWorkload>();
        var shares = service.summary().shares().isEmpty()
                ? List.of(new LocalityShare(Locality.NONE, 0))
                : service.summary().shares();
        for (var key : service.keys()) {
            for (int i = 0; i < service.ways().size(); i++) {
                for (var share : shares) {
                    var workload = workload(service, key, i, share, shares.size());
                    result.put(
                            workload.uid(),
                            new FoldedWorkload(workload, service.ways().get(i)));
                }
            }
        }
        return result;
    }

    private static Workload workload(PeerService service, String key, int place, LocalityShare share, int shares) {
        var ways = service.ways();
        var way = ways.get(place);
        var uid = uid(key, way) + (shares == 1 ? "" : "/" + text(share.locality()));
        var capacity = share.ready() / ways.size() + (place < share.ready() % ways.size() ? 1 : 0);
        var draft = new WorkloadDraft(uid, uid, service.summary().namespace());
        draft.behind(
                way.network(),
                way.dialled(),
                service.cluster(),
                Map.of(key, service.summary().ports()),
                // a gateway more than there are endpoints still counts as one
                Math.max(1, capacity),
                share.ready() == 0 ? Workload.Health.UNHEALTHY : Workload.Health.HEALTHY);
        draft.at(service.locality().equals(Locality.NONE) ? share.locality() : service.locality());
        return draft.finish();
    }

    private static String uid(String key, NetworkGateway way) {
        return way.network() + "/SplitHorizonWorkload/" + way.gateway().path() + "/" + way.text() + "/" + key;
    }

    private static String text(Locality locality) {
        return locality.region() + "/" + locality.zone() + "/" + locality.subzone();
    }
}
