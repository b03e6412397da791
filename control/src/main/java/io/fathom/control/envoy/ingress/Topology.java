// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.ingress;

import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Limits;
import io.fathom.wire.kube.tree.MisreadException;
import java.util.Map;

/// What stands between clients and an ingress proxy.
///
/// @param trustedHops how many proxies in front of it are believed when they say who the client is
/// @param certificates what becomes of headers about certificates of clients
public record Topology(int trustedHops, ForwardedCertificates certificates, ProxyProtocol proxyProtocol) {
    /// Nothing.
    public static final Topology DIRECT = new Topology(0, ForwardedCertificates.SANITIZE_SET, ProxyProtocol.NOT_SPOKEN);

    /// Where a pod or a Gateway says so.
    public static final String ANNOTATION = "proxy.istio.io/config";

    /// As Envoy names them.
    public enum ForwardedCertificates {
        SANITIZE,
        FORWARD_ONLY,
        APPEND_FORWARD,
        SANITIZE_SET,
        ALWAYS_FORWARD_ONLY
    }

    /// Whether whoever is in front begins with the client's address.
    public enum ProxyProtocol {
        NOT_SPOKEN,
        SPOKEN
    }

    /// What annotations say; text that cannot be read says nothing.
    public static Topology of(Map<String, String> annotations) {
        var text = annotations.get(ANNOTATION);
        if (text == null) {
            return DIRECT;
        }
        try {
            var documents = Documents.ofYaml(ANNOTATION, text, Limits.DEFAULT);
            return !documents.isEmpty() && documents.getFirst() instanceof Document.Parsed parsed
                    ? of(Field.root(parsed.root()).at("gatewayTopology"))
                    : DIRECT;
        } catch (MisreadException e) {
            return DIRECT;
        }
    }

    private static Topology of(Field topology) {
        return new Topology(
                topology.at("numTrustedProxies").integer(0, 1000).orElse(0),
                certificates(topology.at("forwardClientCertDetails").text()),
                topology.at("proxyProtocol").isPresent() ? ProxyProtocol.SPOKEN : ProxyProtocol.NOT_SPOKEN);
    }

    private static ForwardedCertificates certificates(String text) {
        for (var choice : ForwardedCertificates.values()) {
            if (choice.name().equals(text)) {
                return choice;
            }
        }
        return ForwardedCertificates.SANITIZE_SET;
    }
}
