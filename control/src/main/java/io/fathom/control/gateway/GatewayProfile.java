// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.gateway;

import io.fathom.wire.kube.gateway.GatewayManifest.Listener;
import io.fathom.wire.kube.gateway.GatewayManifest.Tls;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;

/// What we do for the Gateways of a class, told by the controller that the class names.
public enum GatewayProfile {
    /// Lets traffic into the mesh.
    INGRESS("istio", "istio.io/gateway-controller", "router", "LoadBalancer"),
    /// Sits in front of services.
    WAYPOINT("istio-waypoint", "istio.io/mesh-controller", "waypoint", "ClusterIP"),
    /// Lets other networks in.
    EAST_WEST("istio-east-west", "istio.io/eastwest-controller", "waypoint", "LoadBalancer"),
    /// Stands for a gateway elsewhere: nothing is deployed.
    REMOTE("istio-remote", "istio.io/unmanaged-gateway", "", "");

    private static final int HBONE_PORT = 15008;

    private final String className;
    private final String controller;
    private final String proxyType;
    private final String serviceType;

    GatewayProfile(String className, String controller, String proxyType, String serviceType) {
        this.className = className;
        this.controller = controller;
        this.proxyType = proxyType;
        this.serviceType = serviceType;
    }

    /// By the controller of the class; for a class that is not there (yet), by the names of our own.
    public static Optional<GatewayProfile> of(String className, Optional<String> controller) {
        return Arrays.stream(values())
                .filter(profile ->
                        controller.map(profile.controller::equals).orElseGet(() -> profile.isNamed(className)))
                .findFirst();
    }

    /// Whether people call the class so. Older documents write the one between networks without its last hyphen.
    public boolean isNamed(String name) {
        return className.equals(name) || (this == EAST_WEST && name.equals("istio-eastwest"));
    }

    /// The class that we create.
    public String className() {
        return className;
    }

    public String controller() {
        return controller;
    }

    /// The value of label `gateway.istio.io/managed`.
    public String managedLabel() {
        return controller.replace('/', '-');
    }

    /// What the proxy is told to be: `waypoint` or `router`.
    public String proxyType() {
        return proxyType;
    }

    /// Of the Service, unless the Gateway says otherwise.
    public String serviceType() {
        return serviceType;
    }

    public boolean isDeployed() {
        return !proxyType.isEmpty();
    }

    /// The name of Deployment and Service where the Gateway does not give one.
    public String objectName(String gateway, String gatewayClass) {
        return this == INGRESS ? gateway + "-" + gatewayClass : gateway;
    }

    /// Protocols of listeners.
    public Set<String> protocols() {
        return this == INGRESS ? Set.of("HTTP", "HTTPS", "TLS", "TCP") : Set.of("HBONE", "HTTP", "HTTPS", "TLS", "TCP");
    }

    /// Whether a proxy of it answers at a listener: waypoints and their like have one for tunnels, whatever is written.
    boolean serves(Listener listener) {
        return switch (this) {
            case INGRESS, REMOTE -> true;
            case WAYPOINT -> isTunnel(listener);
            case EAST_WEST ->
                isTunnel(listener)
                        || (listener.protocol().equals("TLS")
                                && listener.tls().filter(Tls::terminates).isEmpty());
        };
    }

    private static boolean isTunnel(Listener listener) {
        return listener.protocol().equals("HBONE") && listener.port() == HBONE_PORT;
    }

    /// What the class says about itself: the Gateway API takes 64 characters.
    public String description() {
        return switch (this) {
            case INGRESS -> "Gateways into the mesh, deployed by Fathom";
            case WAYPOINT -> "Proxies in front of services, deployed by Fathom";
            case EAST_WEST -> "Gateways for other networks of the mesh, deployed by Fathom";
            case REMOTE -> "Gateways that run elsewhere; nothing is deployed";
        };
    }
}
