// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import io.fathom.model.mesh.LoadBalancing;
import io.fathom.model.mesh.LoadBalancing.Scope;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.Workload;

/// Where a client stands, as far as it matters for which endpoints it may use. Clients with equal vantages have equal
/// choices.
record ClientLocation(String network, String cluster, String node, Locality locality) {
    static ClientLocation of(Workload client, LoadBalancing balancing) {
        if (!prefers(balancing)) {
            return new ClientLocation(client.network(), "", "", Locality.NONE);
        }
        var wanted = balancing.preference();
        var local = wanted.contains(Scope.REGION) || wanted.contains(Scope.ZONE) || wanted.contains(Scope.SUBZONE);
        return new ClientLocation(
                client.network(),
                wanted.contains(Scope.CLUSTER) ? client.clusterId() : "",
                wanted.contains(Scope.NODE) ? client.node() : "",
                local ? client.locality() : Locality.NONE);
    }

    static boolean prefers(LoadBalancing balancing) {
        return balancing.mode() == LoadBalancing.Mode.STRICT || balancing.mode() == LoadBalancing.Mode.FAILOVER;
    }

    private boolean shares(Scope scope, Member member) {
        return switch (scope) {
            case UNSPECIFIED -> false;
            case REGION -> locality.region().equals(member.place.locality().region());
            case ZONE -> locality.zone().equals(member.place.locality().zone());
            case SUBZONE -> locality.subzone().equals(member.place.locality().subzone());
            case NODE -> node.equals(member.place.node());
            case CLUSTER -> cluster.equals(member.role.clusterId());
            case NETWORK -> network.equals(member.network());
        };
    }

    /// How near an endpoint is: leading preferences it meets, up to the first it misses. A network that comes first
    /// outweighs all the others together, and an endpoint outside it is still ranked by them. -1 for one that
    /// a strict service must not use.
    int rank(LoadBalancing balancing, Member member) {
        if (!prefers(balancing)) {
            return 0;
        }
        var wanted = balancing.preference();
        var rank = 0;
        var met = 0;
        for (int i = 0; i < wanted.size(); i++) {
            var outweighs = i == 0 && wanted.getFirst() == Scope.NETWORK;
            if (shares(wanted.get(i), member)) {
                rank += outweighs ? wanted.size() : 1;
                met++;
            } else if (!outweighs) {
                break;
            }
        }
        return balancing.mode() == LoadBalancing.Mode.STRICT && met < wanted.size() ? -1 : rank;
    }
}
