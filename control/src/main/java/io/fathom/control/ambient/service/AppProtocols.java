// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.service;

import io.fathom.model.mesh.AppProtocol;
import io.fathom.wire.kube.core.ServiceManifest.ServicePort;
import io.fathom.wire.kube.manifest.Transport;
import java.util.Locale;

/// What is spoken on a port, from the names that users gave it.
final class AppProtocols {
    private AppProtocols() {}

    /// `appProtocol`, else the port's name up to its first dash; ports that are known to wait for the server's first
    /// byte are TCP rather than unknown.
    static AppProtocol of(ServicePort port) {
        if (port.transport() == Transport.UDP) {
            return AppProtocol.UNKNOWN;
        }
        var declared = port.appProtocol().isEmpty() ? ofName(port.name()) : ofAppProtocol(port.appProtocol());
        return declared == AppProtocol.UNKNOWN && speaksServerFirst(port) ? AppProtocol.TCP : declared;
    }

    /// As a ServiceEntry declares it: the whole word counts.
    static AppProtocol ofEntry(String protocol) {
        return ofWord(protocol);
    }

    private static AppProtocol ofAppProtocol(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "kubernetes.io/h2c" -> AppProtocol.HTTP2;
            case "kubernetes.io/ws" -> AppProtocol.HTTP11;
            case "kubernetes.io/wss" -> AppProtocol.TLS;
            default -> ofName(text);
        };
    }

    private static AppProtocol ofName(String name) {
        var lower = name.toLowerCase(Locale.ROOT);
        if (lower.equals("grpc-web") || lower.startsWith("grpc-web-")) {
            return AppProtocol.UNKNOWN; // HTTP/1.1 or HTTP/2: a protocol of its own
        }
        var dash = lower.indexOf('-');
        return ofWord(dash < 0 ? lower : lower.substring(0, dash));
    }

    private static AppProtocol ofWord(String word) {
        return switch (word.toLowerCase(Locale.ROOT)) {
            case "http" -> AppProtocol.HTTP11;
            case "http2" -> AppProtocol.HTTP2;
            case "grpc" -> AppProtocol.GRPC;
            case "tls", "https" -> AppProtocol.TLS;
            case "tcp" -> AppProtocol.TCP;
            default -> AppProtocol.UNKNOWN;
        };
    }

    private static boolean speaksServerFirst(ServicePort port) {
        return switch (port.number()) {
            case 25, 53, 3306, 27017 -> port.transport() == Transport.TCP;
            default -> false;
        };
    }
}
