// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import static io.fathom.control.deploy.Maps.map;

import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.gateway.ListenerSetManifest;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Tree;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.function.UnaryOperator;

/// Writes statuses into objects that do not say it already. What they say is asked of the API server each time: nothing
/// of it is kept. Any thread.
final class StatusWriter {
    private final KubeClient client;

    StatusWriter(KubeClient client) {
        this.client = client;
    }

    void write(GatewayReport report, Instant now) {
        var gateway = report.gateway();
        write(
                Kinds.GATEWAYS,
                "Gateway",
                new Target(gateway.namespace(), gateway.name()),
                gateway.generation(),
                before -> StatusTree.of(report.status(), gateway.generation(), before, now));
        for (var each : report.sets()) {
            var set = each.set();
            write(
                    Kinds.LISTENER_SETS,
                    ListenerSetManifest.KIND,
                    new Target(set.namespace(), set.name()),
                    set.generation(),
                    before -> StatusTree.of(each.status(), set.generation(), before, now));
        }
    }

    private void write(KubeResource resource, String kind, Target target, int generation, UnaryOperator<Tree> maker) {
        client.get(resource, target.namespace(), target.name())
                .filter(object -> generation(object) == generation) // else what is new in it comes soon
                .ifPresent(object -> write(client, resource, kind, object, maker.apply(status(object))));
    }

    /// Unless the object says it already.
    static void write(KubeClient client, KubeResource resource, String kind, KubeObject object, Tree wanted) {
        if (StatusTree.says(status(object), wanted)) {
            return;
        }
        var metadata = map("name", object.name());
        if (!object.namespace().isEmpty()) {
            metadata.put("namespace", object.namespace());
        }
        var tree =
                Json.of(map("apiVersion", resource.apiVersion(), "kind", kind, "metadata", metadata, "status", wanted));
        client.applyStatus(resource, object.namespace(), object.name(), tree, GatewayLabels.MANAGER);
    }

    static int generation(KubeObject object) {
        return object.metadata().at("generation").integer(0, Integer.MAX_VALUE).orElse(0);
    }

    /// As it stands in the object; an empty map when there is none.
    static Tree status(KubeObject object) {
        return object.tree() instanceof Tree.Mapping mapping
                        && mapping.entries().get("status") instanceof Tree.Mapping status
                ? status
                : new Tree.Mapping(object.tree().at(), new LinkedHashMap<>());
    }
}
