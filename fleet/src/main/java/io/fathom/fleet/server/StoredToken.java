// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import io.fathom.fleet.store.FileRecord;
import io.fathom.model.fleet.ClusterLabels;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// What is kept of a join token.
///
/// @param hash of its secret
/// @param cluster the name that it is for
/// @param networks that the cluster may be on; any that no other is on, if none are named
/// @param trustDomains that the cluster may have; any if none are named
/// @param labels that the cluster gets
/// @param usedBy fingerprint of the key that it was used with
public record StoredToken(
        String id,
        String hash,
        String cluster,
        List<String> networks,
        List<String> trustDomains,
        ClusterLabels labels,
        Instant expires,
        Optional<String> usedBy) {
    public StoredToken {
        networks = List.copyOf(networks);
        trustDomains = List.copyOf(trustDomains);
    }

    StoredToken used(String key) {
        return new StoredToken(id, hash, cluster, networks, trustDomains, labels, expires, Optional.of(key));
    }

    FileRecord record() {
        var record = FileRecord.builder()
                .add("id", id)
                .add("hash", hash)
                .add("cluster", cluster)
                .addAll("network", networks)
                .addAll("trust-domain", trustDomains)
                .addAll("label", labels.texts())
                .add("expires", expires.toString());
        usedBy.ifPresent(key -> record.add("used-by", key));
        return record.build();
    }

    static StoredToken of(FileRecord record) {
        return new StoredToken(
                record.required("id"),
                record.required("hash"),
                record.required("cluster"),
                record.texts("network"),
                record.texts("trust-domain"),
                ClusterLabels.parse(record.texts("label")),
                Instant.parse(record.required("expires")),
                record.text("used-by"));
    }
}
