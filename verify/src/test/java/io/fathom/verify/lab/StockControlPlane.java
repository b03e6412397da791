// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.lab;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fathom.verify.manifests.ManifestDocument;
import io.fathom.verify.peers.Istiod;
import io.fathom.verify.peers.KubeApiServer;
import io.fathom.verify.peers.KubeKind;
import io.fathom.verify.peers.StockProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import org.awaitility.Awaitility;

/// Upstream's istiod on a real API server: manifests are applied there, tokens are asked for there.
final class StockControlPlane implements ControlPlane {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String SYSTEM = "istio-system";

    private final Map<String, ObjectNode> applied = new HashMap<>();
    private final KubeApiServer cluster;
    private final Istiod istiod;

    /// Skips the test when one of the programs is not there.
    ///
    /// @param host the address of this machine that node proxies reach
    StockControlPlane(String host) {
        var _ = StockProgram.ISTIOD.require();
        cluster = KubeApiServer.start(InstantSource.system());
        try {
            write("system", "{apiVersion: v1, kind: Namespace, metadata: {name: %s}}".formatted(SYSTEM));
            istiod = Istiod.startWithCertificates(cluster, host);
        } catch (RuntimeException | Error e) {
            cluster.close();
            throw e;
        }
    }

    @Override
    public void write(String name, String manifest) {
        ObjectNode object =
                JSON.valueToTree(ManifestDocument.parse(manifest).orElseThrow().content());
        if (object.get("metadata") instanceof ObjectNode metadata) {
            metadata.remove("uid"); // the API server gives its own
        }
        cluster.client().apply(object);
        applied.put(name, object);
    }

    @Override
    public void remove(String name) {
        var object = applied.remove(name);
        if (object == null) {
            throw new IllegalArgumentException("nothing was applied as " + name);
        }
        cluster.client().delete(object);
    }

    @Override
    public int tlsPort() {
        return istiod.tlsPort();
    }

    @Override
    public String rootCertificate() {
        return Awaitility.await("the root in a config map")
                .atMost(PATIENCE)
                .until(
                        () -> cluster.client().list(KubeKind.CONFIG_MAP).stream()
                                .filter(map -> map.at("/metadata/name").asText().equals("istio-ca-root-cert"))
                                .toList(),
                        found -> !found.isEmpty())
                .getFirst()
                .path("data")
                .path("root-cert.pem")
                .asText();
    }

    @Override
    public Path token(String namespace, String pod) {
        throw new UnsupportedOperationException("waypoints are for our own control plane");
    }

    @Override
    public Path token(String pod) {
        try {
            return Files.writeString(
                    cluster.workspace().directory().resolve(pod + ".token"),
                    cluster.client().podToken(SYSTEM, "ztunnel", pod, "istio-ca"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        istiod.close();
        cluster.close();
    }
}
