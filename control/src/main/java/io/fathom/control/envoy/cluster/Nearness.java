// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import io.fathom.control.envoy.view.Member;
import io.fathom.model.mesh.LoadBalancing.Scope;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.Workload;
import io.fathom.wire.kube.traffic.TrafficPolicy.Failover;
import java.util.List;
import java.util.Optional;

/// In which order members are tried, seen from one proxy. Pure.
final class Nearness {
    private static final int REGIONS_AWAY = 4;

    private final Placement placement;
    private final ProxyLocation from;

    Nearness(Placement placement, ProxyLocation from) {
        this.placement = placement;
        this.from = from;
    }

    /// 0 is tried first. There may be gaps.
    int priority(Member member) {
        return switch (placement) {
            case Placement.Anywhere(), Placement.Shares _ -> 0;
            case Placement.Nearest(var scopes) -> scopes.size() - shared(scopes, member.workload());
            case Placement.Regional(var failover) -> regional(member.workload().locality(), failover);
            case Placement.SameLabels(var labels) -> labels.size() - sharedLabels(labels, member);
        };
    }

    /// Of members that are on another network.
    int elsewhere() {
        return switch (placement) {
            case Placement.Anywhere(), Placement.Shares _ -> 0;
            case Placement.Nearest(var scopes) -> scopes.size();
            case Placement.Regional _ -> REGIONS_AWAY;
            case Placement.SameLabels(var labels) -> labels.size();
        };
    }

    /// How many of the scopes, up to the first that differs.
    private int shared(List<Scope> scopes, Workload workload) {
        var count = 0;
        for (var scope : scopes) {
            if (!shares(scope, workload, from)) {
                break;
            }
            count++;
        }
        return count;
    }

    static boolean sharesAll(List<Scope> scopes, Workload workload, ProxyLocation from) {
        return scopes.stream().allMatch(scope -> shares(scope, workload, from));
    }

    private static boolean shares(Scope scope, Workload workload, ProxyLocation from) {
        return switch (scope) {
            case UNSPECIFIED -> false;
            case REGION -> from.locality().region().equals(workload.locality().region());
            case ZONE -> from.locality().zone().equals(workload.locality().zone());
            case SUBZONE -> from.locality().subzone().equals(workload.locality().subzone());
            case NODE -> from.node().equals(workload.node());
            case CLUSTER -> from.cluster().equals(workload.clusterId());
            case NETWORK -> from.network().equals(workload.network());
        };
    }

    private int regional(Locality place, List<Failover> failover) {
        var own = from.locality();
        if (own.region().isEmpty()) {
            return 0; // nobody knows where we are
        }
        if (own.region().equals(place.region())) {
            if (!own.zone().equals(place.zone())) {
                return 2;
            }
            return own.subzone().equals(place.subzone()) ? 0 : 1;
        }
        var helpers = failover.stream()
                .filter(rule -> rule.from().equals(own.region()))
                .map(Failover::to)
                .toList();
        return helpers.isEmpty() || helpers.contains(place.region()) ? REGIONS_AWAY - 1 : REGIONS_AWAY;
    }

    private int sharedLabels(List<String> labels, Member member) {
        var count = 0;
        for (var label : labels) {
            if (!sharesLabel(label, member)) {
                break;
            }
            count++;
        }
        return count;
    }

    /// `key`, whose value must be that of the proxy, or `key=value`.
    private boolean sharesLabel(String label, Member member) {
        var scope = scope(label);
        if (scope.isPresent()) {
            return shares(scope.get(), member.workload(), from);
        }
        var key = key(label);
        var wanted = label.equals(key) ? from.labels().get(key) : label.substring(key.length() + 1);
        return wanted != null && wanted.equals(member.labels().get(key));
    }

    static String key(String label) {
        var equals = label.indexOf('=');
        return equals < 0 ? label : label.substring(0, equals);
    }

    /// The labels that say where something is; it is known without them.
    static Optional<Scope> scope(String label) {
        return switch (label) {
            case "topology.istio.io/network" -> Optional.of(Scope.NETWORK);
            case "topology.istio.io/cluster" -> Optional.of(Scope.CLUSTER);
            case "topology.kubernetes.io/region" -> Optional.of(Scope.REGION);
            case "topology.kubernetes.io/zone" -> Optional.of(Scope.ZONE);
            case "topology.istio.io/subzone" -> Optional.of(Scope.SUBZONE);
            case "kubernetes.io/hostname" -> Optional.of(Scope.NODE);
            default -> Optional.empty();
        };
    }
}
