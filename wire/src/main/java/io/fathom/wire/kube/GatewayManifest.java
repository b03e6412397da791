package io.fathom.wire.kube;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A Gateway of the Gateway API.
public record GatewayManifest(
        Metadata metadata,
        String className,
        List<Listener> listeners,
        List<Address> specAddresses,
        List<Address> statusAddresses)
        implements Manifest {

    /// A listener.
    ///
    /// @param hostname empty for all
    public record Listener(
            String name, String hostname, int port, String protocol, Optional<Tls> tls, AllowedRoutes allowedRoutes) {
        /// For all host names, without TLS.
        public static Listener plain(String name, int port, String protocol, AllowedRoutes allowedRoutes) {
            return new Listener(name, "", port, protocol, Optional.empty(), allowedRoutes);
        }
    }

    /// What a listener does with TLS.
    ///
    /// @param mode `Terminate` or `Passthrough`
    /// @param options of implementations
    public record Tls(String mode, List<CertificateRef> certificates, Map<String, String> options) {
        public Tls {
            certificates = List.copyOf(certificates);
            options = Map.copyOf(options);
        }

        public boolean terminates() {
            return mode.equals("Terminate");
        }
    }

    /// Where a certificate is.
    ///
    /// @param namespace empty for that of the Gateway
    public record CertificateRef(String group, String kind, String namespace, String name) {}

    /// Who may attach; the selector counts only with [From#SELECTOR].
    ///
    /// @param kinds of routes; empty for all that fit the listener's protocol
    public record AllowedRoutes(From from, LabelSelector selector, List<RouteKind> kinds) {
        public enum From {
            ALL,
            SAME,
            SELECTOR,
            NONE
        }

        public AllowedRoutes {
            kinds = List.copyOf(kinds);
        }

        /// Routes of all kinds.
        public AllowedRoutes(From from, LabelSelector selector) {
            this(from, selector, List.of());
        }
    }

    /// A kind of route.
    public record RouteKind(String group, String kind) {
        public static final String GATEWAY_API = "gateway.networking.k8s.io";

        public static RouteKind of(String kind) {
            return new RouteKind(GATEWAY_API, kind);
        }
    }

    /// An address of type `IPAddress`, `Hostname` or one of another's own.
    public record Address(String type, String value) {}

    public GatewayManifest {
        listeners = List.copyOf(listeners);
        specAddresses = List.copyOf(specAddresses);
        statusAddresses = List.copyOf(statusAddresses);
    }
}
