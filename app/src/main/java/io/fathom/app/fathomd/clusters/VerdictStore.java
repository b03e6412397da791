// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd.clusters;

import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.tree.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;

/// Where a short text outlives the program. Blocks the caller.
public sealed interface VerdictStore {
    /// Empty if there is none.
    String read() throws IOException;

    /// Replaces it as a whole.
    void write(String text) throws IOException;

    record InFile(Path file) implements VerdictStore {
        @Override
        public String read() throws IOException {
            return Files.exists(file) ? Files.readString(file) : "";
        }

        @Override
        public void write(String text) throws IOException {
            Files.createDirectories(file.toAbsolutePath().getParent());
            var fresh = file.resolveSibling(file.getFileName() + ".new");
            Files.writeString(fresh, text, StandardCharsets.UTF_8);
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /// In a ConfigMap, which replicas share: whoever saw the last change is right.
    record InCluster(KubeClient client, String namespace) implements VerdictStore {
        private static final String NAME = "fathom-gateways";
        private static final String KEY = "verdicts";

        @Override
        public String read() {
            return client.get(KubeResource.CONFIG_MAPS, namespace, NAME)
                    .map(found -> found.root().at("data").at(KEY).text(""))
                    .orElse("");
        }

        @Override
        public void write(String text) {
            var object = Json.of(Map.of(
                    "apiVersion",
                    "v1",
                    "kind",
                    "ConfigMap",
                    "metadata",
                    Map.of("name", NAME, "namespace", namespace),
                    "data",
                    Map.of(KEY, text)));
            var _ = client.apply(KubeResource.CONFIG_MAPS, namespace, NAME, object, "fathomd");
        }
    }
}
