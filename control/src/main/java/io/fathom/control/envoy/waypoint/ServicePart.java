// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.waypoint;

import io.envoyproxy.envoy.config.listener.v3.FilterChain;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest.ServiceScope.Scope;
import java.util.List;
import java.util.Optional;

/// What one service adds to the listener of its waypoint.
///
/// @param scope whether it belongs to all clusters
public record ServicePart(MeshService service, List<PortPart> ports, Scope scope) {
    public ServicePart {
        ports = List.copyOf(ports);
    }

    /// Of a service that stays in its cluster.
    public ServicePart(MeshService service, List<PortPart> ports) {
        this(service, ports, Scope.LOCAL);
    }

    public ServicePart with(Scope other) {
        return new ServicePart(service, ports, other);
    }

    /// The chains of one port. With both, the first bytes of a connection decide.
    ///
    /// @param number of the service's port
    /// @param encryption whether clients speak TLS there, which is passed on
    /// @param detour that tunnels take first; only at gateways of a network
    public record PortPart(
            int number,
            Optional<FilterChain> http,
            Optional<FilterChain> tcp,
            Encryption encryption,
            Optional<Detour> detour) {
        /// What is known of the bytes on a port.
        public enum Encryption {
            NONE,
            TLS
        }

        public PortPart {
            if (http.isEmpty() && tcp.isEmpty()) {
                throw new IllegalArgumentException("a port without chains");
            }
        }

        public PortPart(int number, Optional<FilterChain> http, Optional<FilterChain> tcp, Encryption encryption) {
            this(number, http, tcp, encryption, Optional.empty());
        }

        /// One for tunnels that are handed on.
        public static PortPart forTunnels(int number, FilterChain chain, Optional<Detour> detour) {
            return new PortPart(number, Optional.empty(), Optional.of(chain), Encryption.NONE, detour);
        }

        boolean isSniffed() {
            return http.isPresent() && tcp.isPresent();
        }
    }
}
