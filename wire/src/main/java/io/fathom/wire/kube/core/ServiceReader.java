// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.core;

import io.fathom.model.mesh.Ip;
import io.fathom.wire.kube.core.ServiceManifest.ServicePort;
import io.fathom.wire.kube.core.ServiceManifest.Target;
import io.fathom.wire.kube.core.ServiceManifest.TrafficPolicy;
import io.fathom.wire.kube.gateway.GatewayManifest.Address;
import io.fathom.wire.kube.manifest.Interner;
import io.fathom.wire.kube.manifest.KindReader;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.Ports;
import io.fathom.wire.kube.tree.Choices;
import io.fathom.wire.kube.tree.Field;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Reads Services.
public final class ServiceReader implements KindReader {
    private static final Choices<ServiceManifest.Type> TYPES =
            Choices.of(ServiceManifest.Type.class, type -> switch (type) {
                case CLUSTER_IP -> "ClusterIP";
                case NODE_PORT -> "NodePort";
                case LOAD_BALANCER -> "LoadBalancer";
                case EXTERNAL_NAME -> "ExternalName";
            });
    private static final Choices<TrafficPolicy> POLICIES = Choices.of(TrafficPolicy.class, policy -> switch (policy) {
        case CLUSTER -> "Cluster";
        case LOCAL -> "Local";
    });
    private static final Choices<Ip.Family> FAMILIES = Choices.of(Ip.Family.class, family -> switch (family) {
        case V4 -> "IPv4";
        case V6 -> "IPv6";
    });

    private static final int LONGEST_AFFINITY = 86_400;
    private static final int USUAL_AFFINITY = 10_800;

    @Override
    public Manifest read(Metadata metadata, Field object, Interner interner) {
        var spec = object.at("spec");
        var ips = clusterIps(spec);
        var families = spec.at("ipFamilies").items().stream()
                .map(family -> family.oneOf(FAMILIES))
                .toList();
        return new ServiceManifest(
                metadata,
                spec.at("type").oneOf(TYPES, ServiceManifest.Type.CLUSTER_IP),
                ips,
                spec.at("clusterIP").text().equals("None") ? ServiceManifest.Headless.YES : ServiceManifest.Headless.NO,
                families.isEmpty() ? ips.stream().map(Ip::family).distinct().toList() : families,
                interner.map(spec.at("selector").textMap()),
                interner.list(spec.at("ports").items().stream()
                        .map(port -> port(port, interner))
                        .toList()),
                spec.at("internalTrafficPolicy").oneOf(POLICIES, TrafficPolicy.CLUSTER),
                interner.text(spec.at("trafficDistribution").text()),
                spec.at("publishNotReadyAddresses").flag(),
                ingress(object.at("status").at("loadBalancer").at("ingress")),
                affinity(spec));
    }

    private static Optional<Integer> affinity(Field spec) {
        return spec.at("sessionAffinity").text().equals("ClientIP")
                ? Optional.of(spec.at("sessionAffinityConfig")
                        .at("clientIP")
                        .at("timeoutSeconds")
                        .integer(1, LONGEST_AFFINITY)
                        .orElse(USUAL_AFFINITY))
                : Optional.empty();
    }

    private static List<Address> ingress(Field points) {
        return points.items().stream()
                .flatMap(point -> Stream.of(
                        new Address("IPAddress", point.at("ip").text()),
                        new Address("Hostname", point.at("hostname").text())))
                .filter(address -> !address.value().isEmpty())
                .toList();
    }

    private static List<Ip> clusterIps(Field spec) {
        var one = spec.at("clusterIP");
        var all = spec.at("clusterIPs");
        var fields = all.isPresent() && !all.items().isEmpty() ? all.items() : List.of(one);
        return fields.stream()
                .map(ServiceReader::clusterIp)
                .flatMap(Optional::stream)
                .toList();
    }

    private static Optional<Ip> clusterIp(Field field) {
        var text = field.text();
        if (text.isEmpty() || text.equals("None")) {
            return Optional.empty();
        }
        var ip = Ip.parse(text);
        if (ip.isEmpty()) {
            throw field.wrong(
                    "manifest-bad-value",
                    "is \"" + text + "\", which is no IP address",
                    "write an IPv4 or IPv6 address, or None for a headless Service");
        }
        return ip;
    }

    private static ServicePort port(Field port, Interner interner) {
        var number = Ports.number(port.at("port"));
        return interner.record(new ServicePort(
                interner.text(port.at("name").text()),
                number,
                Ports.transport(port.at("protocol")),
                target(port.at("targetPort"), number),
                interner.text(port.at("appProtocol").text())));
    }

    private static Target target(Field field, int port) {
        if (field.isText() && !field.text().isEmpty()) {
            return new Target.ByName(field.text());
        }
        if (field.isText()) {
            return new Target.ByNumber(port);
        }
        var number = field.integer(0, Ports.MOST).orElse(0);
        return new Target.ByNumber(number == 0 ? port : number);
    }
}
