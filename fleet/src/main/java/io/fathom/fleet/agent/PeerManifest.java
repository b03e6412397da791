// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import io.fathom.fleet.agent.AgentConfig.ServiceSource;
import io.fathom.model.fleet.FleetPeer;
import io.fathom.model.fleet.GatewayAddress;
import io.fathom.model.fleet.GatewayFact;
import io.fathom.model.mesh.Ip;
import io.fathom.wire.kube.tree.Json;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The Gateway that stands for a cluster. Pure.
///
/// @param origin UID of the cluster
/// @param content all of it
record PeerManifest(
        String namespace,
        String name,
        String origin,
        Map<String, String> labels,
        Map<String, String> annotations,
        List<String> addresses,
        Map<String, Object> content) {
    static final String PREFIX = "istio-remote-peer-";
    static final String CLASS = "istio-remote";
    static final String CLUSTER = "topology.istio.io/cluster";
    static final String MANAGED_BY = "app.kubernetes.io/managed-by";
    static final String MANAGER = "fathom-fleet";
    static final String ORIGIN = "fleet.fathom.io/origin-uid";
    static final String VERSION = "fleet.fathom.io/version";
    static final String SERVICES = "fleet.fathom.io/services";
    static final String STATE = "fleet.fathom.io/state";
    static final String TRUST_DOMAIN = "gateway.istio.io/trust-domain";
    private static final int VERSION_DIGITS = 12;

    PeerManifest {
        labels = Map.copyOf(labels);
        annotations = Map.copyOf(annotations);
        addresses = List.copyOf(addresses);
        content = Map.copyOf(content);
    }

    /// @param services who tells what that cluster has
    static PeerManifest of(FleetPeer peer, ServiceSource services) {
        var fact = peer.fact();
        var best = fact.candidates().getFirst();
        var hosts = fact.candidates().stream()
                .filter(candidate -> candidate.hbonePort() == best.hbonePort()) // a Gateway has one port for all
                .map(GatewayAddress::host)
                .toList();
        var spec = Map.<String, Object>of(
                "gatewayClassName",
                CLASS,
                "addresses",
                hosts.stream().map(PeerManifest::address).toList(),
                "listeners",
                listeners(best));
        var annotations = annotations(fact, services);
        var labels = labels(peer);
        var digest = digest(Json.pretty(Json.of(List.of(spec, labels, annotations))));
        annotations.put(VERSION, digest);
        var metadata = Map.<String, Object>of(
                "name",
                PREFIX + peer.cluster(),
                "namespace",
                fact.namespace(),
                "labels",
                labels,
                "annotations",
                annotations);
        return new PeerManifest(
                fact.namespace(),
                PREFIX + peer.cluster(),
                peer.uid(),
                labels,
                annotations,
                hosts,
                Map.of(
                        "apiVersion",
                        "gateway.networking.k8s.io/v1",
                        "kind",
                        "Gateway",
                        "metadata",
                        metadata,
                        "spec",
                        spec));
    }

    private static Map<String, String> address(String host) {
        return Map.of("type", Ip.parse(host).isPresent() ? "IPAddress" : "Hostname", "value", host);
    }

    private static List<Object> listeners(GatewayAddress best) {
        var listeners = new ArrayList<Object>();
        listeners.add(listener("cross-network", best.hbonePort(), "HBONE"));
        if (best.xdsPort() != 0) {
            listeners.add(listener("xds-tls", best.xdsPort(), "TLS"));
        }
        return listeners;
    }

    private static Map<String, Object> listener(String name, int port, String protocol) {
        return Map.of("name", name, "port", port, "protocol", protocol, "tls", Map.of("mode", "Passthrough"));
    }

    private static Map<String, String> labels(FleetPeer peer) {
        var labels = new TreeMap<String, String>();
        labels.put(LocalGateway.NETWORK, peer.fact().network());
        labels.put(CLUSTER, peer.cluster());
        labels.put(MANAGED_BY, MANAGER);
        labels.put(ORIGIN, peer.uid());
        putIfSaid(labels, LocalGateway.REGION, peer.fact().place().region());
        putIfSaid(labels, LocalGateway.ZONE, peer.fact().place().zone());
        return labels;
    }

    private static Map<String, String> annotations(GatewayFact fact, ServiceSource services) {
        var annotations = new TreeMap<String, String>();
        annotations.put(LocalGateway.ACCOUNT, fact.serviceAccount());
        annotations.put(TRUST_DOMAIN, fact.trustDomain());
        annotations.put(LocalGateway.DISTRIBUTE_TO, fact.audience().text());
        switch (services) {
            case PEER -> {}
            case AGENT -> annotations.put(SERVICES, "agent");
        }
        switch (fact.state()) {
            case ACTIVE -> {}
            case DRAINING -> annotations.put(STATE, "draining");
            case OFFLINE -> annotations.put(STATE, "offline");
        }
        return annotations;
    }

    private static void putIfSaid(Map<String, String> labels, String name, String value) {
        if (!value.isEmpty()) {
            labels.put(name, value);
        }
    }

    /// Short, and different for different texts.
    static String digest(String text) {
        try {
            var hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash).substring(0, VERSION_DIGITS);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
