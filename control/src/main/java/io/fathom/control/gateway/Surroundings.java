// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.gateway;

import io.fathom.wire.kube.gateway.ListenerSetManifest;
import io.fathom.wire.kube.gateway.ReferenceGrantManifest;
import io.fathom.wire.kube.gateway.RouteManifest.ParentRef;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What a route may refer to, by namespace and name.
interface Surroundings {
    /// Empty when there is none, or it is somebody else's.
    Optional<GatewayVerdict> gateway(String namespace, String name);

    /// Whether there is such a Gateway, whosever it is.
    boolean hasGateway(String namespace, String name);

    Optional<ListenerSetManifest> listenerSet(String namespace, String name);

    /// A Service or ServiceEntry.
    Optional<MeshParent> meshParent(ParentRef parent);

    boolean hasService(String namespace, String name);

    boolean hasServiceEntry(String namespace, String name);

    /// Whether some cluster exports such a service.
    boolean hasServiceImport(String namespace, String name);

    Map<String, String> namespaceLabels(String namespace);

    /// The grants of a namespace.
    List<ReferenceGrantManifest> grants(String namespace);
}
