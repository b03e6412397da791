// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.peers;

import io.fathom.verify.manifests.ManifestDocument;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;

/// Secrets that lead to other clusters, as `istioctl create-remote-secret` writes them.
public final class RemoteSecretText {
    private RemoteSecretText() {}

    /// The Secret that leads to these clusters.
    ///
    /// @param kubeconfigs by cluster
    public static ManifestDocument secret(String namespace, String name, Map<String, String> kubeconfigs) {
        var text = new StringBuilder("""
                apiVersion: v1
                kind: Secret
                metadata:
                  name: %s
                  namespace: %s
                  labels: {istio/multiCluster: "true"}
                data:
                """.formatted(name, namespace));
        new TreeMap<>(kubeconfigs)
                .forEach((cluster, kubeconfig) -> text.append("  ")
                        .append(cluster)
                        .append(": ")
                        .append(Base64.getEncoder().encodeToString(kubeconfig.getBytes(StandardCharsets.UTF_8)))
                        .append('\n'));
        return ManifestDocument.parse(text.toString()).orElseThrow();
    }
}
