// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.peering;

import io.fathom.model.peering.ClusterSummary;
import io.fathom.model.peering.ServiceEndpoints;
import io.fathom.model.peering.ServiceSummary;
import java.util.List;

/// Takes in what a peer says. Called by one thread at a time; has taken it in when it returns.
public interface PeerSink {
    /// Comes before anything about services, on each connection.
    void cluster(ClusterSummary summary);

    /// A connection begins: what is told on it before [#complete] is part of everything.
    default void opened() {}

    /// Everything that the peer shares has been told; what comes on this connection after it are changes.
    default void complete() {}

    /// What is different now.
    ///
    /// @param gone `namespace/name` of services that the peer shares no longer
    void services(List<ServiceSummary> changed, List<String> gone);

    /// Likewise endpoints, of a peer that shares our network.
    void endpoints(List<ServiceEndpoints> changed, List<String> gone);
}
