// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import io.fathom.base.lang.ProblemException;
import io.fathom.fleet.store.FileRecord;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.tree.Json;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/// The keys of a fleet in a Secret. Of several servers that make it at the same moment one succeeds, and the others use
/// what that one made.
final class AuthoritySecret {
    static final String NAME = "fathom-fleet-authority";

    private final KubeClient client;
    private final String namespace;

    AuthoritySecret(KubeClient client, String namespace) {
        this.client = client;
        this.namespace = namespace;
    }

    FileRecord read(Supplier<FileRecord> made) {
        var found = client.get(KubeResource.SECRETS, namespace, NAME);
        if (found.isPresent()) {
            return record(found.get());
        }
        try {
            return record(client.create(KubeResource.SECRETS, namespace, Json.of(content(made.get()))));
        } catch (ProblemException e) {
            if (!e.problem().code().equals("kube-conflict")) {
                throw e;
            }
            return record(client.get(KubeResource.SECRETS, namespace, NAME).orElseThrow(() -> e));
        }
    }

    /// Records and Secrets both have bytes in Base64.
    private static Map<String, Object> content(FileRecord record) {
        var data = new LinkedHashMap<String, Object>();
        record.values().forEach((name, values) -> data.put(name, values.getFirst()));
        return Map.of(
                "apiVersion",
                "v1",
                "kind",
                "Secret",
                "metadata",
                Map.of("name", NAME, "labels", Map.of("app.kubernetes.io/managed-by", "fathom-fleet")),
                "type",
                "Opaque",
                "data",
                data);
    }

    private static FileRecord record(KubeObject secret) {
        var record = FileRecord.builder();
        secret.root().at("data").textMap().forEach(record::add);
        return record.build();
    }
}
