// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import io.fathom.base.lang.ProblemException;
import io.fathom.fleet.store.FileRecord;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.tree.Json;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/// Puts changes of several servers in an order: a ConfigMap that holds the last change, all of it. Who writes it next
/// names the version that it was read in, so that of two that decide at the same moment one has to look again. A change
/// counts from the moment it stands there; whoever comes next finishes it first, if its author did not. So nothing is
/// locked, and nobody has to be waited for.
final class ChangeLedger {
    private static final String NAME = "fathom-fleet-ledger";
    private static final String NUMBER = "change";
    private static final String CHANGE = "record";

    private final KubeClient client;
    private final String namespace;

    /// A place in the order.
    ///
    /// @param version of the ConfigMap
    /// @param number of the last change
    /// @param record what it wrote; nothing before the first one
    record Turn(String version, long number, Optional<FileRecord> record) {}

    ChangeLedger(KubeClient client, String namespace) {
        this.client = client;
        this.namespace = namespace;
    }

    /// The change that comes after the last one, which is finished now.
    Turn begin(Consumer<Turn> finish) {
        var last = turn(read());
        finish.accept(last);
        return last;
    }

    private KubeObject read() {
        var found = client.get(KubeResource.CONFIG_MAPS, namespace, NAME);
        if (found.isPresent()) {
            return found.get();
        }
        return client.create(
                KubeResource.CONFIG_MAPS,
                namespace,
                Json.of(Map.of(
                        "apiVersion",
                        "v1",
                        "kind",
                        "ConfigMap",
                        "metadata",
                        Map.of("name", NAME, "labels", Map.of("app.kubernetes.io/managed-by", "fathom-fleet")))));
    }

    private static Turn turn(KubeObject object) {
        var data = object.root().at("data");
        var change = data.at(CHANGE).text();
        return new Turn(
                object.resourceVersion(),
                Long.parseLong(data.at(NUMBER).text("0")),
                change.isEmpty() ? Optional.empty() : Optional.of(FileRecord.parse(change)));
    }

    /// Makes a change count.
    ///
    /// @throws ProblemException `kube-conflict` when another one was first
    Turn decide(Turn mine, FileRecord record) {
        var number = mine.number() + 1;
        var patch = Json.of(Map.of(
                "metadata",
                Map.of("resourceVersion", mine.version()),
                "data",
                Map.of(
                        NUMBER,
                        Long.toString(number),
                        CHANGE,
                        numbered(record, number).text())));
        return client.patch(KubeResource.CONFIG_MAPS, namespace, NAME, patch)
                .map(ChangeLedger::turn)
                .orElseThrow(() -> FleetProblems.changedMeanwhile(record.required("name")));
    }

    static FileRecord numbered(FileRecord record, long number) {
        return record.with(NUMBER, Long.toString(number));
    }

    /// The change that a record was last written by.
    static long number(FileRecord record) {
        return record.text(NUMBER).map(Long::parseLong).orElse(0L);
    }
}
