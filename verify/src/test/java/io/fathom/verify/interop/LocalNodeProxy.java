// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;

/// A node proxy of a mesh without Kubernetes: its pod in the manifests, its token in a file.
final class LocalNodeProxy {
    static final String POD = "ztunnel-verify";
    static final String NODE = "verify-node";

    private LocalNodeProxy() {}

    static void writePod(Path manifests) throws IOException {
        Files.writeString(manifests.resolve("ztunnel-verify.yaml"), pod(POD, "istio-system", "ztunnel", "10.88.0.1"));
    }

    static String pod(String name, String namespace, String account, String ip) {
        return """
                apiVersion: v1
                kind: Pod
                metadata: {name: %s, namespace: %s}
                spec: {nodeName: %s, serviceAccountName: %s, containers: [{name: main, image: none}]}
                status: {phase: Running, podIP: %s}
                """.formatted(name, namespace, NODE, account, ip);
    }

    /// What fathomd has to be told.
    static Map<String, String> environment(Path tokens) {
        return Map.of("FATHOM_TOKENS_DIR", tokens.toString(), "CA_TRUSTED_NODE_ACCOUNTS", "istio-system/ztunnel");
    }

    /// The file with the token, once it is there.
    static Path token(Path tokens) {
        var file = tokens.resolve("istio-system").resolve(POD).resolve("istio-token");
        Awaitility.await("token of the node proxy")
                .atMost(Duration.ofSeconds(20))
                .until(() -> Files.exists(file));
        return file;
    }
}
