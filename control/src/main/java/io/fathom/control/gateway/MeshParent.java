// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.gateway;

import io.fathom.base.flow.Fetch;
import io.fathom.model.mesh.AppProtocol;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// A Service or ServiceEntry, as routes for traffic inside the mesh see it.
///
/// @param ports without those for UDP
/// @param hosts the services that it makes, each with the waypoints in front of it
public record MeshParent(ObjectKey key, List<ParentPort> ports, List<Host> hosts) {
    public record ParentPort(int number, String name, AppProtocol protocol) {
        /// Whether routes of a kind can do something with what comes there.
        boolean takes(String kind) {
            return switch (protocol) {
                case HTTP11, HTTP2, GRPC -> kind.equals("HTTPRoute") || kind.equals("GRPCRoute");
                case TCP, TLS -> kind.equals("TCPRoute") || kind.equals("TLSRoute");
                case UNKNOWN -> true;
            };
        }
    }

    /// A host that it answers to.
    ///
    /// @param name its resource name, `namespace/hostname`
    public record Host(String name, String hostname, Set<ObjectKey> waypoints) {
        public Host {
            waypoints = Set.copyOf(waypoints);
        }
    }

    public MeshParent {
        ports = List.copyOf(ports);
        hosts = List.copyOf(hosts);
    }

    Set<ObjectKey> waypoints() {
        return hosts.stream().flatMap(host -> host.waypoints().stream()).collect(Collectors.toSet());
    }

    /// Finds them, remembered by the flow.
    public interface Finder {
        /// The parent of that kind and key, if it is there.
        ///
        /// @param kind `Service` or `ServiceEntry`
        Optional<MeshParent> find(Fetch<?> fetch, String kind, ObjectKey key);
    }
}
