// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.clusters;

import io.fathom.control.ambient.peer.PeerSources;
import io.fathom.model.peering.FeedUp;
import io.fathom.model.peering.ServiceEndpoints;
import io.fathom.model.peering.ServiceSummary;
import java.util.HashSet;
import java.util.Set;

/// How far the fleet has told what one cluster has. One writer at a time.
final class FleetOrigin {
    /// What has been named since all of it began to be told.
    private final Set<String> services = new HashSet<>();

    private final Set<String> endpoints = new HashSet<>();
    private boolean tellsAll;
    private volatile boolean complete;

    /// Whether all of it was told once.
    boolean isComplete() {
        return complete;
    }

    /// Makes rows of it. Whatever was not named when all of it has been told is there no longer.
    void take(String cluster, FeedUp.Origin said, PeerSources sources) {
        if (said.part().begins()) {
            tellsAll = true;
            services.clear();
            endpoints.clear();
        }
        said.about().ifPresent(about -> sources.put(cluster, about));
        sources.apply(cluster, said.services().changed(), said.services().gone());
        sources.applyEndpoints(
                cluster, said.endpoints().changed(), said.endpoints().gone());
        if (tellsAll) {
            said.services().changed().stream().map(ServiceSummary::path).forEach(services::add);
            said.services().gone().forEach(services::remove);
            said.endpoints().changed().stream().map(ServiceEndpoints::path).forEach(endpoints::add);
            said.endpoints().gone().forEach(endpoints::remove);
        }
        if (said.part().ends() && tellsAll) {
            sources.retain(cluster, services, endpoints);
            tellsAll = false;
            services.clear();
            endpoints.clear();
            complete = true;
        }
    }
}
