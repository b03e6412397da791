// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.networking;

import io.fathom.wire.kube.manifest.Interner;
import io.fathom.wire.kube.manifest.KindReader;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.Ports;
import io.fathom.wire.kube.networking.VirtualServiceManifest.Callers;
import io.fathom.wire.kube.networking.VirtualServiceManifest.Destination;
import io.fathom.wire.kube.networking.VirtualServiceManifest.Headers;
import io.fathom.wire.kube.networking.VirtualServiceManifest.TcpMatch;
import io.fathom.wire.kube.networking.VirtualServiceManifest.TcpRule;
import io.fathom.wire.kube.networking.VirtualServiceManifest.TlsMatch;
import io.fathom.wire.kube.networking.VirtualServiceManifest.TlsRule;
import io.fathom.wire.kube.tree.Field;
import java.util.List;

/// Reads VirtualServices. What Envoy would refuse is refused here, so that a mistake costs no more than this object.
public final class VirtualServiceReader implements KindReader {
    /// Envoy counts the sum of a route in 32 bits.
    static final int MOST_WEIGHT = 1_000_000;

    @Override
    public Manifest read(Metadata metadata, Field object, Interner interner) {
        var spec = object.at("spec");
        var gateways = spec.at("gateways").texts();
        return new VirtualServiceManifest(
                metadata,
                spec.at("hosts").texts(),
                gateways.isEmpty() ? List.of(VirtualServiceManifest.MESH) : gateways,
                spec.at("exportTo").texts(),
                spec.at("http").items().stream()
                        .map(rule ->
                                VirtualServiceHttp.rule(rule, metadata.key().namespace(), interner))
                        .toList(),
                spec.at("tls").items().stream().map(rule -> tls(rule, interner)).toList(),
                spec.at("tcp").items().stream().map(rule -> tcp(rule, interner)).toList());
    }

    private static TlsRule tls(Field rule, Interner interner) {
        var matches = rule.at("match").items().stream()
                .map(match -> new TlsMatch(
                        serverNames(match.at("sniHosts")),
                        match.at("destinationSubnets").texts(),
                        port(match),
                        callers(match, interner)))
                .toList();
        if (matches.isEmpty()) {
            throw rule.at("match").missing("list at least one match with sniHosts");
        }
        return new TlsRule(matches, destinations(rule.at("route"), interner));
    }

    private static List<String> serverNames(Field names) {
        var texts = names.texts();
        if (texts.isEmpty()) {
            throw names.missing("list the names that clients ask for");
        }
        return texts;
    }

    private static TcpRule tcp(Field rule, Interner interner) {
        return new TcpRule(
                rule.at("match").items().stream()
                        .map(match -> new TcpMatch(
                                match.at("destinationSubnets").texts(), port(match), callers(match, interner)))
                        .toList(),
                destinations(rule.at("route"), interner));
    }

    static int port(Field match) {
        return match.at("port").integer(0, Ports.MOST).orElse(0);
    }

    static Callers callers(Field match, Interner interner) {
        return new Callers(
                interner.map(match.at("sourceLabels").textMap()),
                interner.text(match.at("sourceNamespace").text()),
                match.at("gateways").texts());
    }

    private static List<Destination> destinations(Field routes, Interner interner) {
        var list = routes.items().stream()
                .map(route -> destination(
                        route.at("destination"),
                        route.at("weight").integer(0, MOST_WEIGHT).orElse(0),
                        Headers.UNCHANGED,
                        interner))
                .toList();
        if (list.isEmpty()) {
            throw routes.missing("list at least one destination");
        }
        return list;
    }

    static Destination destination(Field destination, int weight, Headers headers, Interner interner) {
        return new Destination(
                interner.text(destination.at("host").requiredText()),
                interner.text(destination.at("subset").text()),
                destination.at("port").at("number").integer(0, Ports.MOST).orElse(0),
                weight,
                headers);
    }
}
