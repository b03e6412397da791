// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.multicluster;

import io.fathom.model.mesh.Ip;
import io.fathom.model.peering.ExportedService;
import io.fathom.model.peering.ExportedService.ExportedPort;
import io.fathom.wire.kube.manifest.Interner;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.Ports;
import io.fathom.wire.kube.multicluster.ServiceImportManifest.ImportSpec;
import io.fathom.wire.kube.tree.Choices;
import io.fathom.wire.kube.tree.Field;
import java.util.Optional;

/// Reads ServiceExports and ServiceImports.
public final class MulticlusterReaders {
    private static final Choices<ExportedService.ExportType> KINDS =
            Choices.of(ExportedService.ExportType.class, kind -> switch (kind) {
                case CLUSTER_SET_IP -> "ClusterSetIP";
                case HEADLESS -> "Headless";
            });
    private static final Choices<Ip.Family> FAMILIES = Choices.of(Ip.Family.class, family -> switch (family) {
        case V4 -> "IPv4";
        case V6 -> "IPv6";
    });

    private MulticlusterReaders() {}

    public static Manifest serviceExport(Metadata metadata, Field object, Interner interner) {
        var spec = object.at("spec");
        return new ServiceExportManifest(
                metadata,
                interner.map(spec.at("exportedLabels").textMap()),
                interner.map(spec.at("exportedAnnotations").textMap()));
    }

    public static Manifest serviceImport(Metadata metadata, Field object, Interner interner) {
        var spec = object.at("spec");
        return new ServiceImportManifest(
                metadata,
                new ImportSpec(
                        spec.at("type").oneOf(KINDS),
                        spec.at("ports").items().stream()
                                .map(MulticlusterReaders::port)
                                .toList(),
                        spec.at("ips").items().stream()
                                .map(MulticlusterReaders::ip)
                                .toList(),
                        spec.at("ipFamilies").items().stream()
                                .map(family -> family.oneOf(FAMILIES))
                                .toList(),
                        affinity(spec),
                        interner.text(spec.at("internalTrafficPolicy").text()),
                        interner.text(spec.at("trafficDistribution").text())),
                object.at("status").at("clusters").items().stream()
                        .map(cluster -> cluster.at("cluster").text())
                        .toList());
    }

    private static ExportedPort port(Field port) {
        return new ExportedPort(
                port.at("name").text(),
                Ports.number(port.at("port")),
                Ports.transport(port.at("protocol")).name(),
                port.at("appProtocol").text());
    }

    private static Ip ip(Field field) {
        return Ip.parse(field.text())
                .orElseThrow(() -> field.wrong(
                        "manifest-bad-value",
                        "is \"" + field.text() + "\", which is no IP address",
                        "write an IPv4 or IPv6 address"));
    }

    private static Optional<Integer> affinity(Field spec) {
        return spec.at("sessionAffinity").text().equals("ClientIP")
                ? Optional.of(spec.at("sessionAffinityConfig")
                        .at("clientIP")
                        .at("timeoutSeconds")
                        .integer(1, Integer.MAX_VALUE)
                        .orElse(0))
                : Optional.empty();
    }
}
