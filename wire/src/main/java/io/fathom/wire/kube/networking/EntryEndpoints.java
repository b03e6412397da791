// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.networking;

import io.fathom.wire.kube.manifest.Interner;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.Ports;
import io.fathom.wire.kube.tree.Field;
import java.util.HashMap;
import java.util.Map;

/// Reads what WorkloadEntries hold, and ServiceEntries in line.
public final class EntryEndpoints {
    private EntryEndpoints() {}

    public static Manifest workloadEntry(Metadata metadata, Field object, Interner interner) {
        return new WorkloadEntryManifest(metadata, read(object.at("spec"), interner), isHealthy(object.at("status")));
    }

    static EntryEndpoint read(Field spec, Interner interner) {
        return new EntryEndpoint(
                spec.at("address").text(),
                ports(spec.at("ports")),
                interner.map(spec.at("labels").textMap()),
                interner.text(spec.at("network").text()),
                interner.text(spec.at("locality").text()),
                spec.at("weight").integer(0, Integer.MAX_VALUE).orElse(0),
                interner.text(spec.at("serviceAccount").text()));
    }

    /// Most entries are watched by nobody and have no such condition.
    private static boolean isHealthy(Field status) {
        for (var condition : status.at("conditions").items()) {
            if (condition.at("type").text().equals("Healthy")) {
                return !condition.at("status").text().equals("False");
            }
        }
        return true;
    }

    private static Map<String, Integer> ports(Field ports) {
        var numbers = new HashMap<String, Integer>();
        ports.entries().forEach((name, number) -> numbers.put(name, Ports.number(number)));
        return numbers;
    }
}
