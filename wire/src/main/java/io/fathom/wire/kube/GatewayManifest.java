package io.fathom.wire.kube;

import java.util.List;

/// A Gateway of the Gateway API.
public record GatewayManifest(
        Metadata metadata,
        String className,
        List<Listener> listeners,
        List<Address> specAddresses,
        List<Address> statusAddresses)
        implements Manifest {

    /// A listener; `tlsMode` is empty when it has no TLS.
    public record Listener(String name, int port, String protocol, String tlsMode, AllowedRoutes allowedRoutes) {}

    /// The namespaces that may attach; the selector counts only with [From#SELECTOR].
    public record AllowedRoutes(From from, LabelSelector selector) {
        public enum From {
            ALL,
            SAME,
            SELECTOR,
            NONE
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
