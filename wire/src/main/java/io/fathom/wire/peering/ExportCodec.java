// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.peering;

import com.google.protobuf.InvalidProtocolBufferException;
import io.fathom.model.mesh.Ip;
import io.fathom.model.peering.ExportedService;
import io.fathom.model.peering.ExportedService.ExportedPort;
import io.fathom.wire.proto.peering.Export;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// The part of a summary that tells of a ServiceExport. What goes into a ServiceImport here is checked as an API server
/// would check it: one peer's nonsense must not keep the import from being written.
public final class ExportCodec {
    private static final Set<String> PROTOCOLS = Set.of("TCP", "UDP", "SCTP");
    private static final Set<String> POLICIES = Set.of("Cluster", "Local");
    private static final Pattern PORT_NAME = Pattern.compile("([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)?");
    private static final Pattern WORD = Pattern.compile("[A-Za-z]{0,63}");
    private static final Pattern PROTOCOL = Pattern.compile("[A-Za-z0-9]?[-./A-Za-z0-9_]{0,252}");
    private static final Pattern KEY =
            Pattern.compile("([a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?");
    private static final Pattern VALUE = Pattern.compile("([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?");
    private static final int MOST_PAIRS = 256;
    private static final int LONGEST_TEXT = 65_536;
    private static final int LONGEST_AFFINITY = 86_400;

    private ExportCodec() {}

    public static byte[] bytes(ExportedService service) {
        return message(service).toByteArray();
    }

    /// Reads what [#bytes] wrote.
    ///
    /// @param resource as of the service
    /// @throws io.fathom.base.lang.ProblemException when it is something else
    public static ExportedService export(String resource, byte[] bytes) {
        try {
            return export(resource, Export.parseFrom(bytes));
        } catch (InvalidProtocolBufferException _) {
            throw SummaryCodec.malformed(resource, "its export cannot be read");
        }
    }

    static Export message(ExportedService service) {
        var message = Export.newBuilder()
                .setCreated(service.created().toEpochMilli())
                .setHeadless(service.kind() == ExportedService.ExportType.HEADLESS)
                .setAffinity(service.affinity().orElse(0))
                .setPolicy(service.policy())
                .setDistribution(service.distribution())
                .addAllLabels(pairs(service.labels()))
                .addAllAnnotations(pairs(service.annotations()));
        service.families().forEach(family -> message.addFamilies(family == Ip.Family.V4 ? 4 : 6));
        service.ports()
                .forEach(port -> message.addPorts(Export.ExportedPort.newBuilder()
                        .setName(port.name())
                        .setPort(port.number())
                        .setProtocol(port.protocol())
                        .setAppProtocol(port.appProtocol())));
        return message.build();
    }

    private static List<Export.Pair> pairs(Map<String, String> map) {
        return new TreeMap<>(map)
                .entrySet().stream()
                        .map(entry -> Export.Pair.newBuilder()
                                .setName(entry.getKey())
                                .setValue(entry.getValue())
                                .build())
                        .toList();
    }

    /// @param resource as of the service
    static ExportedService export(String resource, Export message) {
        check(resource, message.getAffinity() >= 0 && message.getAffinity() <= LONGEST_AFFINITY, "affinity");
        check(resource, POLICIES.contains(message.getPolicy()), "traffic policy");
        check(resource, WORD.matcher(message.getDistribution()).matches(), "distribution");
        check(resource, message.getFamiliesList().stream().allMatch(each -> each == 4 || each == 6), "families");
        var labels = map(resource, message.getLabelsList());
        check(
                resource,
                labels.values().stream().allMatch(text -> VALUE.matcher(text).matches()),
                "labels");
        return new ExportedService(
                Instant.ofEpochMilli(message.getCreated()),
                message.getHeadless() ? ExportedService.ExportType.HEADLESS : ExportedService.ExportType.CLUSTER_SET_IP,
                message.getPortsList().stream()
                        .map(port -> port(resource, port))
                        .toList(),
                message.getFamiliesList().stream()
                        .map(each -> each == 4 ? Ip.Family.V4 : Ip.Family.V6)
                        .distinct()
                        .toList(),
                message.getAffinity() == 0 ? Optional.empty() : Optional.of(message.getAffinity()),
                message.getPolicy(),
                message.getDistribution(),
                labels,
                map(resource, message.getAnnotationsList()));
    }

    private static ExportedPort port(String resource, Export.ExportedPort port) {
        check(resource, port.getPort() > 0 && port.getPort() <= 65_535, "ports");
        check(resource, PORT_NAME.matcher(port.getName()).matches(), "names of ports");
        check(resource, PROTOCOLS.contains(port.getProtocol()), "protocols");
        check(resource, PROTOCOL.matcher(port.getAppProtocol()).matches(), "application protocols");
        return new ExportedPort(port.getName(), port.getPort(), port.getProtocol(), port.getAppProtocol());
    }

    private static Map<String, String> map(String resource, List<Export.Pair> pairs) {
        check(resource, pairs.size() <= MOST_PAIRS, "labels and annotations");
        var map = new LinkedHashMap<String, String>();
        for (var pair : pairs) {
            check(
                    resource,
                    KEY.matcher(pair.getName()).matches() && pair.getValue().length() <= LONGEST_TEXT,
                    "labels and annotations");
            map.put(pair.getName(), pair.getValue());
        }
        return map;
    }

    private static void check(String resource, boolean fine, String what) {
        SummaryCodec.check(resource, fine, "the " + what + " of its export make no sense");
    }
}
