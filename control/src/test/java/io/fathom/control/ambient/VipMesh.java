// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import static io.fathom.control.ambient.PolicyManifests.key;

import io.fathom.base.flow.Failures;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Source;
import io.fathom.base.flow.Table;
import io.fathom.base.lang.Problem;
import io.fathom.control.ambient.vip.VipPlanner;
import io.fathom.control.ambient.vip.Vips;
import io.fathom.model.mesh.Ip;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.networking.ServiceEntryManifest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A flow with ServiceEntries and their automatic addresses only; each call is one update.
public final class VipMesh {
    private final Flow flow = new Flow(Failures.rethrown());
    private final Source<ObjectKey, ServiceEntryManifest> entries = flow.source("entries");
    private final Table<ObjectKey, Vips> vips;

    public VipMesh(String v4, String v6) {
        vips = new VipPlanner(v4, v6).table(flow, entries);
    }

    public VipMesh() {
        this("240.240.0.0/16", "2001:2::/48");
    }

    public void put(VipEntries... all) {
        flow.update(u -> {
            for (var entry : all) {
                u.put(entries, key(entry.path()), entry.manifest());
            }
        });
    }

    public void remove(String path) {
        flow.update(u -> u.remove(entries, key(path)));
    }

    public Optional<Vips> vips(String path) {
        return flow.cut().of(vips).find(key(path));
    }

    /// The addresses of all hosts of an entry, such as `a=240.240.0.1+2001:2::1`.
    public String of(String path) {
        var texts = vips(path).map(Vips::byHost).orElse(Map.of()).entrySet().stream()
                .map(host -> host.getKey() + "="
                        + String.join(
                                "+", host.getValue().stream().map(Ip::toString).toList()))
                .toList();
        return String.join(" ", texts);
    }

    public Optional<Problem> problem(String path) {
        return vips(path).flatMap(Vips::problem);
    }

    /// By entry and host.
    public Map<String, List<Ip>> all() {
        var all = new LinkedHashMap<String, List<Ip>>();
        flow.cut()
                .of(vips)
                .forEach((key, row) ->
                        row.byHost().forEach((host, addresses) -> all.put(key.path() + " " + host, addresses)));
        return all;
    }
}
