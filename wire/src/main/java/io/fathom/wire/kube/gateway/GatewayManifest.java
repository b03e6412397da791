// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.gateway;

import io.fathom.wire.kube.manifest.LabelSelector;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// A Gateway of the Gateway API.
///
/// @param clients what is asked of clients that come with TLS, and shown to backends
/// @param infrastructure what holds for all that is made for the Gateway
/// @param allowedListeners whose ListenerSets may add listeners
/// @param generation of its spec, 0 when not known; statuses say which one they are about
public record GatewayManifest(
        Metadata metadata,
        String className,
        List<Listener> listeners,
        List<Address> specAddresses,
        List<Address> statusAddresses,
        EdgeTls clients,
        Infrastructure infrastructure,
        AllowedListeners allowedListeners,
        int generation)
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
    public record CertificateRef(String group, String kind, String namespace, String name) {
        /// In which namespace it is, for a Gateway of that one.
        public String namespaceFor(String gateway) {
            return namespace.isEmpty() ? gateway : namespace;
        }
    }

    /// TLS of the whole Gateway.
    ///
    /// @param validation of clients' certificates where the port says nothing else
    /// @param ports that say something else, possibly nothing
    /// @param backend what the Gateway shows to backends
    public record EdgeTls(
            Optional<ClientValidation> validation,
            Map<Integer, Optional<ClientValidation>> ports,
            Optional<CertificateRef> backend) {
        public static final EdgeTls NONE = new EdgeTls(Optional.empty(), Map.of(), Optional.empty());

        public EdgeTls {
            ports = Map.copyOf(ports);
        }

        /// Everything that is asked of clients somewhere.
        public Stream<ClientValidation> validations() {
            return Stream.concat(validation.stream(), ports.values().stream().flatMap(Optional::stream));
        }

        /// What holds for a port.
        public Optional<ClientValidation> at(int port) {
            return ports.getOrDefault(port, validation);
        }
    }

    /// Who may come in.
    ///
    /// @param authorities where the certificates of authorities are
    public record ClientValidation(List<CertificateRef> authorities, Strictness strictness) {
        public enum Strictness {
            VALID_ONLY,
            /// Others, too; whoever is behind the Gateway is told who it was.
            INSECURE_FALLBACK
        }

        public ClientValidation {
            authorities = List.copyOf(authorities);
        }
    }

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

    /// `spec.infrastructure`, and what the Gateway itself says in its place.
    ///
    /// @param labels empty where the Gateway's own count
    /// @param annotations empty where the Gateway's own count
    /// @param ownAnnotations all that the Gateway has, also those that mean nothing to the mesh
    /// @param parameters an object with more
    public record Infrastructure(
            Optional<Map<String, String>> labels,
            Optional<Map<String, String>> annotations,
            Map<String, String> ownAnnotations,
            Optional<ParametersRef> parameters) {
        public static final Infrastructure NONE =
                new Infrastructure(Optional.empty(), Optional.empty(), Map.of(), Optional.empty());

        public Infrastructure {
            ownAnnotations = Map.copyOf(ownAnnotations);
        }
    }

    /// An object with overlays.
    public record ParametersRef(String group, String kind, String name) {
        public boolean isConfigMap() {
            return group.isEmpty() && kind.equals("ConfigMap");
        }
    }

    /// Which namespaces may add listeners; the selector counts only with [AllowedRoutes.From#SELECTOR].
    public record AllowedListeners(AllowedRoutes.From from, LabelSelector selector) {
        public static final AllowedListeners NOBODYS =
                new AllowedListeners(AllowedRoutes.From.NONE, LabelSelector.EVERYTHING);

        /// Whether ListenerSets of a namespace may, at a Gateway of another or the same.
        ///
        /// @param labels of the namespace
        public boolean permits(String gateway, String namespace, Supplier<Map<String, String>> labels) {
            return switch (from) {
                case ALL -> true;
                case SAME -> namespace.equals(gateway);
                case SELECTOR -> selector.matches(labels.get());
                case NONE -> false;
            };
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

    /// One that says nothing about clients and infrastructure.
    public GatewayManifest(
            Metadata metadata,
            String className,
            List<Listener> listeners,
            List<Address> specAddresses,
            List<Address> statusAddresses) {
        this(
                metadata,
                className,
                listeners,
                specAddresses,
                statusAddresses,
                EdgeTls.NONE,
                Infrastructure.NONE,
                AllowedListeners.NOBODYS,
                0);
    }
}
