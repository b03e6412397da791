// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import io.fathom.model.mesh.Ip;
import io.fathom.model.peering.ExportedService;
import io.fathom.model.peering.ExportedService.ExportedPort;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.multicluster.ServiceImportManifest;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Tree;
import java.util.HashMap;
import java.util.Map;

/// A ServiceImport as it is applied. Pure.
record ImportPlan(ServiceImportManifest wanted) {
    static final String MANAGER = "fathom-mcs";
    private static final String API =
            KubeResource.of(ServiceImportManifest.class).apiVersion();

    /// Without its status.
    Tree object() {
        var spec = wanted.spec();
        var content = new HashMap<String, Object>();
        content.put(
                "type",
                switch (spec.kind()) {
                    case CLUSTER_SET_IP -> "ClusterSetIP";
                    case HEADLESS -> "Headless";
                });
        content.put("ports", spec.ports().stream().map(ImportPlan::port).toList());
        content.put("ips", spec.ips().stream().map(Ip::toString).toList());
        content.put(
                "ipFamilies",
                spec.families().stream()
                        .map(family -> family == Ip.Family.V4 ? "IPv4" : "IPv6")
                        .toList());
        if (spec.kind() == ExportedService.ExportType.CLUSTER_SET_IP) {
            content.put("sessionAffinity", spec.affinity().isPresent() ? "ClientIP" : "None");
        }
        spec.affinity()
                .ifPresent(seconds ->
                        content.put("sessionAffinityConfig", Map.of("clientIP", Map.of("timeoutSeconds", seconds))));
        if (!spec.policy().isEmpty()) {
            content.put("internalTrafficPolicy", spec.policy());
        }
        if (!spec.distribution().isEmpty()) {
            content.put("trafficDistribution", spec.distribution());
        }
        return Json.of(Map.of(
                "apiVersion",
                API,
                "kind",
                ServiceImportManifest.KIND,
                "metadata",
                Map.of(
                        "name", wanted.name(),
                        "namespace", wanted.namespace(),
                        "labels", wanted.labels(),
                        "annotations", wanted.annotations()),
                "spec",
                content));
    }

    Tree status() {
        return Json.of(Map.of(
                "apiVersion",
                API,
                "kind",
                ServiceImportManifest.KIND,
                "metadata",
                Map.of("name", wanted.name(), "namespace", wanted.namespace()),
                "status",
                Map.of(
                        "clusters",
                        wanted.clusters().stream()
                                .map(cluster -> Map.of("cluster", cluster))
                                .toList())));
    }

    private static Map<String, Object> port(ExportedPort port) {
        var content = new HashMap<String, Object>(Map.of("port", port.number(), "protocol", port.protocol()));
        if (!port.name().isEmpty()) {
            content.put("name", port.name());
        }
        if (!port.appProtocol().isEmpty()) {
            content.put("appProtocol", port.appProtocol());
        }
        return content;
    }
}
