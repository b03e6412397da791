// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.view;

import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.Optional;

/// Where routes of one proxy may lead. A view on one cut; what is asked for is remembered by the flow.
public interface Destinations {
    /// A cluster that never exists: requests for it are answered with an error.
    String UNKNOWN_SERVICE = "UnknownService";

    /// The Service or ServiceEntry with that name, if the proxy knows it.
    Optional<MeshService> service(ObjectKey object);

    /// The service with that host name, as seen from a namespace.
    Optional<MeshService> host(String namespace, String hostname);

    /// The cluster for a port of a service: a waypoint's own services have clusters of another direction.
    ClusterName cluster(MeshService service, int port, ClusterName.ClusterLayer layer, String subset);
}
