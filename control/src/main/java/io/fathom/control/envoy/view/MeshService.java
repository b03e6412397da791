// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.view;

import io.fathom.model.mesh.AppProtocol;
import io.fathom.model.mesh.Service;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.networking.ServiceEntryManifest;
import java.util.List;
import java.util.Optional;

/// A host name of a Service or ServiceEntry with all that proxies have to know of it.
///
/// @param service as node proxies see it: host name, addresses, waypoints
/// @param metadata of the object it comes from
/// @param resolution how its members are found
public record MeshService(
        Service service, Metadata metadata, Origin origin, List<ServicePort> ports, Resolution resolution) {
    /// Which kind of object it comes from.
    public enum Origin {
        SERVICE,
        SERVICE_ENTRY
    }

    /// How its members are found.
    public enum Resolution {
        /// The control plane lists them.
        ENDPOINTS,
        /// The proxy asks DNS for the host name, or for those of the endpoints, and uses all answers.
        DNS,
        /// As DNS, but one answer at a time.
        DNS_ROUND_ROBIN,
        /// Whatever address the client asked for.
        NONE,
        /// The host of each request is looked up.
        DYNAMIC_DNS
    }

    /// One port.
    ///
    /// @param protocol `UNKNOWN` when it has to be found out by looking at the first bytes
    /// @param name may be empty
    public record ServicePort(int number, String name, AppProtocol protocol) {}

    public MeshService {
        ports = List.copyOf(ports);
    }

    /// The object that it comes from.
    public ManifestId id() {
        var kind = switch (origin) {
            case SERVICE -> ServiceManifest.class;
            case SERVICE_ENTRY -> ServiceEntryManifest.class;
        };
        return new ManifestId(kind, metadata.key());
    }

    public String hostname() {
        return service.hostname();
    }

    public String namespace() {
        return service.namespace();
    }

    public Optional<ServicePort> port(int number) {
        return ports.stream().filter(port -> port.number() == number).findFirst();
    }
}
