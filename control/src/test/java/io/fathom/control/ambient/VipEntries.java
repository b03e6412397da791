// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import static io.fathom.control.ambient.PolicyManifests.key;

import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.networking.ServiceEntryManifest;
import io.fathom.wire.kube.networking.ServiceEntryManifest.AssignedAddress;
import io.fathom.wire.kube.networking.ServiceEntryManifest.Resolution;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/// ServiceEntries for tests of automatic addresses. Each method makes a changed copy.
public record VipEntries(
        String path,
        List<String> hosts,
        long created,
        Resolution resolution,
        List<String> addresses,
        Map<String, String> labels,
        List<AssignedAddress> assigned) {

    public static VipEntries entry(String path, String... hosts) {
        return new VipEntries(path, List.of(hosts), 100, Resolution.DNS, List.of(), Map.of(), List.of());
    }

    public VipEntries withHosts(String... others) {
        return new VipEntries(path, List.of(others), created, resolution, addresses, labels, assigned);
    }

    public VipEntries createdAt(long time) {
        return new VipEntries(path, hosts, time, resolution, addresses, labels, assigned);
    }

    public VipEntries withResolution(Resolution other) {
        return new VipEntries(path, hosts, created, other, addresses, labels, assigned);
    }

    public VipEntries withAddresses(String... others) {
        return new VipEntries(path, hosts, created, resolution, List.of(others), labels, assigned);
    }

    public VipEntries optedOut() {
        return new VipEntries(
                path,
                hosts,
                created,
                resolution,
                addresses,
                Map.of("networking.istio.io/enable-autoallocate-ip", "false"),
                assigned);
    }

    /// Each as `host=address`.
    public VipEntries withAssigned(String... values) {
        var parsed = Arrays.stream(values)
                .map(value -> value.split("=", 2))
                .map(parts -> new AssignedAddress(parts[1], parts[0]))
                .toList();
        return new VipEntries(path, hosts, created, resolution, addresses, labels, parsed);
    }

    public ServiceEntryManifest manifest() {
        var metadata = new Metadata(
                key(path), "", labels, Map.of(), Instant.ofEpochSecond(created), Metadata.Lifecycle.ACTIVE);
        return new ServiceEntryManifest(
                metadata, hosts, addresses, List.of(), resolution, List.of(), Map.of(), List.of(), assigned);
    }
}
