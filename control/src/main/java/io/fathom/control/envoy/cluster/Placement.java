// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import io.fathom.control.envoy.view.MeshService;
import io.fathom.model.mesh.LoadBalancing;
import io.fathom.model.mesh.LoadBalancing.Scope;
import io.fathom.wire.kube.traffic.TrafficPolicy;
import io.fathom.wire.kube.traffic.TrafficPolicy.Distribution;
import io.fathom.wire.kube.traffic.TrafficPolicy.Failover;
import io.fathom.wire.kube.traffic.TrafficPolicy.LoadBalancer;
import io.fathom.wire.kube.traffic.TrafficPolicy.LocalityBalancing;
import io.fathom.wire.kube.traffic.TrafficPolicy.LocalityBalancing.Switch;
import java.util.List;
import java.util.Optional;

/// Whether it matters where endpoints are, seen from a proxy. Pure.
public sealed interface Placement {
    /// All are alike.
    record Anywhere() implements Placement {}

    /// Those that share most of these with the proxy come first, as the service itself wishes.
    record Nearest(List<Scope> scopes) implements Placement {
        public Nearest {
            scopes = List.copyOf(scopes);
        }
    }

    /// The proxy's own zone comes first, then its region, then regions that help out, then all others.
    record Regional(List<Failover> failover) implements Placement {
        public Regional {
            failover = List.copyOf(failover);
        }
    }

    /// Those that share the values of the most labels come first, in the order of `labels`.
    record SameLabels(List<String> labels) implements Placement {
        public SameLabels {
            labels = List.copyOf(labels);
        }
    }

    /// Requests are shared out by place.
    record Shares(List<Distribution> distribute) implements Placement {
        public Shares {
            distribute = List.copyOf(distribute);
        }
    }

    /// A rule wins over the service, the service over the mesh. Without ejection of endpoints that fail, a rule's
    /// preference has no effect: nobody
    /// would notice that the near ones are gone.
    static Placement of(TrafficPolicy policy, MeshService service, Optional<LocalityBalancing> mesh) {
        var notices = policy.outlierDetection().isPresent();
        var locality = policy.loadBalancer().flatMap(LoadBalancer::locality);
        if (locality.isPresent()) {
            return of(locality.get(), notices);
        }
        var balancing = service.service().loadBalancing();
        if (balancing.mode() == LoadBalancing.Mode.FAILOVER) {
            return new Nearest(balancing.preference());
        }
        return mesh.map(setting -> of(setting, notices))
                .orElseGet(() -> notices ? new Regional(List.of()) : new Anywhere());
    }

    private static Placement of(LocalityBalancing locality, boolean notices) {
        if (locality.enabled() == Switch.OFF) {
            return new Anywhere();
        }
        if (!locality.distribute().isEmpty()) {
            return new Shares(locality.distribute());
        }
        if (!notices) {
            return new Anywhere();
        }
        return locality.failoverPriority().isEmpty()
                ? new Regional(locality.failover())
                : new SameLabels(locality.failoverPriority());
    }
}
