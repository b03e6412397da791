// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.MisreadException;
import io.fathom.wire.kube.tree.Tree;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// A lock in a cluster: a Lease, or a ConfigMap with an annotation. Whoever writes second is refused, because every
/// change names the version it was made of.
final class KubeLockStore implements LockStore {
    private static final String RECORD = "control-plane.alpha.kubernetes.io/leader";
    private static final String HOLDER_KEY = "leader.istio.io/holder-key";
    private static final DateTimeFormatter MICROS =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);
    private static final int LONGEST = 24 * 3600;

    private final KubeClient client;
    private final ElectionLock.LockObject kind;
    private final String namespace;
    private final String name;

    KubeLockStore(KubeClient client, ElectionLock lock, Candidate candidate) {
        this.client = client;
        this.kind = lock.kind();
        this.namespace = candidate.namespace();
        this.name = lock.nameFor(candidate.revision());
    }

    private KubeResource resource() {
        return kind == ElectionLock.LockObject.LEASE ? KubeResource.LEASES : KubeResource.CONFIG_MAPS;
    }

    @Override
    public Optional<HeldLock> read() {
        return client.get(resource(), namespace, name)
                .map(object -> new HeldLock(record(object), object.resourceVersion()));
    }

    @Override
    public void create(LockRecord record) {
        var object = new HashMap<String, Object>(content(record));
        object.put("apiVersion", resource().apiVersion());
        object.put("kind", kind == ElectionLock.LockObject.LEASE ? "Lease" : "ConfigMap");
        object.put("metadata", Map.of("name", name, "annotations", annotations(record)));
        client.create(resource(), namespace, Json.of(object));
    }

    @Override
    public void replace(HeldLock before, LockRecord record) {
        var patch = new HashMap<String, Object>(content(record));
        var annotations = new HashMap<>(annotations(record));
        if (kind == ElectionLock.LockObject.LEASE && !before.record().key().isEmpty()) {
            annotations.putIfAbsent(HOLDER_KEY, Json.NOTHING);
        }
        patch.put("metadata", Map.of("resourceVersion", before.version(), "annotations", annotations));
        if (client.patch(resource(), namespace, name, Json.of(patch)).isEmpty()) {
            throw new ProblemException(new Problem(
                    "lock-gone",
                    "the lock " + namespace + "/" + name + " was deleted while we wrote it",
                    "nothing: it is made again",
                    Problem.Origin.SERVER,
                    Problem.Retry.SENSIBLE));
        }
    }

    private Map<String, Object> content(LockRecord record) {
        if (kind == ElectionLock.LockObject.CONFIG_MAP) {
            return Map.of();
        }
        return Map.of(
                "spec",
                Map.of(
                        "holderIdentity", record.holder().isEmpty() ? Json.NOTHING : record.holder(),
                        "leaseDurationSeconds", record.lasting().toSeconds(),
                        "acquireTime", MICROS.format(record.acquired()),
                        "renewTime", MICROS.format(record.renewed()),
                        "leaseTransitions", record.transitions()));
    }

    private Map<String, Object> annotations(LockRecord record) {
        if (kind == ElectionLock.LockObject.CONFIG_MAP) {
            return Map.of(RECORD, Json.compact(json(record)));
        }
        return record.key().isEmpty() ? Map.of() : Map.of(HOLDER_KEY, record.key());
    }

    private static Tree json(LockRecord record) {
        return Json.of(Map.of(
                "holderIdentity", record.holder(),
                "holderKey", record.key(),
                "leaseDurationSeconds", record.lasting().toSeconds(),
                "acquireTime", record.acquired().truncatedTo(ChronoUnit.SECONDS).toString(),
                "renewTime", record.renewed().truncatedTo(ChronoUnit.SECONDS).toString(),
                "leaderTransitions", record.transitions()));
    }

    /// Whatever somebody wrote by hand that makes no sense is a lock that nobody holds.
    private LockRecord record(KubeObject object) {
        var annotations = object.metadata().at("annotations");
        try {
            if (kind == ElectionLock.LockObject.LEASE) {
                return record(
                        object.root().at("spec"), annotations.at(HOLDER_KEY).text(), "leaseTransitions");
            }
            var record = Field.root(Json.parse(RECORD, annotations.at(RECORD).text("{}")));
            return record(record, record.at("holderKey").text(), "leaderTransitions");
        } catch (MisreadException e) {
            return new LockRecord("", "", Duration.ZERO, Instant.EPOCH, Instant.EPOCH, 0);
        }
    }

    private static LockRecord record(Field record, String key, String transitions) {
        return new LockRecord(
                record.at("holderIdentity").text(),
                key,
                Duration.ofSeconds(
                        record.at("leaseDurationSeconds").integer(0, LONGEST).orElse(0)),
                record.at("acquireTime").instant().orElse(Instant.EPOCH),
                record.at("renewTime").instant().orElse(Instant.EPOCH),
                record.at(transitions).integer(0, Integer.MAX_VALUE).orElse(0));
    }
}
