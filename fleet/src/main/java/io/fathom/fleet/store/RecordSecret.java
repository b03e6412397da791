// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.store;

import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.tree.Json;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;

/// One [FileRecord] in an entry of a Secret.
final class RecordSecret implements RecordSlot {
    private final KubeClient client;
    private final String namespace;
    private final String name;
    private final String entry;

    RecordSecret(KubeClient client, String namespace, String name, String entry) {
        this.client = client;
        this.namespace = namespace;
        this.name = name;
        this.entry = entry;
    }

    @Override
    public Optional<FileRecord> read() {
        return client.get(KubeResource.SECRETS, namespace, name)
                .map(secret -> secret.root().at("data").at(entry).text())
                .filter(text -> !text.isEmpty())
                .map(text -> FileRecord.parse(new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8)));
    }

    @Override
    public void write(FileRecord content) {
        var data = Map.of(entry, Base64.getEncoder().encodeToString(content.encoded()));
        if (client.patch(KubeResource.SECRETS, namespace, name, Json.of(Map.of("data", data)))
                .isEmpty()) {
            var _ = client.create(
                    KubeResource.SECRETS,
                    namespace,
                    Json.of(Map.of(
                            "apiVersion", "v1", "kind", "Secret", "metadata", Map.of("name", name), "data", data)));
        }
    }
}
