// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.peer;

import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Feature;
import io.fathom.control.ambient.input.Markers;
import io.fathom.control.ambient.vip.MeshAddresses;
import io.fathom.model.mesh.Ip;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.networking.ServiceEntryManifest;
import io.fathom.wire.kube.networking.ServiceEntryManifest.AssignedAddress;
import io.fathom.wire.kube.networking.ServiceEntryManifest.Resolution;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The names of services of all clusters as the ServiceEntries that a user would write for them, with addresses that
/// follow from the names.
public final class MeshNameEntries {
    private final Table<ObjectKey, ServiceEntryManifest> table;

    /// @param names by host
    public MeshNameEntries(Flow flow, List<Table<String, MeshName>> names, AmbientConfig config) {
        var all = flow.join("mesh-names", names);
        var addressed = flow.derive(
                "mesh-names/with-addresses",
                all,
                (fetch, name) -> Optional.of(name).filter(own -> own.form() != MeshName.NameForm.HEADLESS_CLUSTER_SET));
        var addresses = config.has(Feature.ADDRESS_ALLOCATION)
                ? MeshAddresses.table(flow, addressed, config.ipv4Range(), config.ipv6Range())
                : flow.<String, List<Ip>>source("mesh-names/addresses");
        table = flow.rekey(
                "mesh-names/entries",
                flow.derive(
                        "mesh-names/entries-by-host",
                        all,
                        (fetch, name) ->
                                Optional.of(entry(name, fetch.own(addresses).orElse(List.of())))),
                (_, entry) -> entry.key());
    }

    /// By keys that no object of a user has; see [io.fathom.control.ambient.input.MeshNames].
    public Table<ObjectKey, ServiceEntryManifest> table() {
        return table;
    }

    /// Older than any other, so that nobody takes the name away.
    private static ServiceEntryManifest entry(MeshName name, List<Ip> addresses) {
        return new ServiceEntryManifest(
                new Metadata(
                        name.entry(),
                        "",
                        name.form() == MeshName.NameForm.HEADLESS_CLUSTER_SET
                                ? Map.of(Markers.AUTOALLOCATE, "false")
                                : Map.of(),
                        name.distribution().isEmpty()
                                ? Map.of()
                                : Map.of(Markers.TRAFFIC_DISTRIBUTION, name.distribution()),
                        Instant.EPOCH,
                        Metadata.Lifecycle.ACTIVE),
                List.of(name.host()),
                List.of(),
                name.ports(),
                Resolution.STATIC,
                List.of(),
                Map.of(),
                List.of(),
                addresses.stream()
                        .map(ip -> new AssignedAddress(ip.toString(), name.host()))
                        .toList());
    }
}
