package io.fathom.control.gateway;

import io.fathom.wire.kube.GatewayManifest;
import io.fathom.wire.kube.ListenerSetManifest;
import io.fathom.wire.kube.ReferenceGrantManifest;
import io.fathom.wire.kube.ServiceManifest;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What a route may refer to, by namespace and name.
public interface Surroundings {
    Optional<GatewayManifest> gateway(String namespace, String name);

    Optional<ListenerSetManifest> listenerSet(String namespace, String name);

    /// Whose Gateways of that class are; empty when there is no such class.
    Optional<String> controller(String className);

    Optional<ServiceManifest> service(String namespace, String name);

    boolean hasServiceEntry(String namespace, String name);

    Map<String, String> namespaceLabels(String namespace);

    /// The grants of a namespace.
    List<ReferenceGrantManifest> grants(String namespace);
}
