// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.mesh.Workload;
import java.util.HashSet;
import java.util.Set;

/// A connection that a pod of this node opened. IPv4-mapped addresses are folded to IPv4.
///
/// @param source the pod it comes from
/// @param sourceIp the address it comes from
/// @param target where the pod wanted to go, before anything was rewritten
/// @param tried uids of endpoints that were dialled in vain for this connection: others are preferred now
public record OutboundRequest(Workload source, Ip sourceIp, IpPort target, Set<String> tried) {
    public OutboundRequest {
        sourceIp = sourceIp.unmapped();
        target = target.unmapped();
        tried = Set.copyOf(tried);
    }

    public OutboundRequest(Workload source, Ip sourceIp, IpPort target) {
        this(source, sourceIp, target, Set.of());
    }

    /// The same connection after one more endpoint failed.
    public OutboundRequest without(String uid) {
        var more = new HashSet<>(tried);
        more.add(uid);
        return new OutboundRequest(source, sourceIp, target, more);
    }
}
