package io.fathom.control.deploy;

import static io.fathom.control.deploy.Maps.map;

import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Tree;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Writes the status of Gateways, unless they say it already. Any thread.
final class StatusWriter {
    private final KubeClient client;
    private final Map<Target, Written> written = new ConcurrentHashMap<>();

    /// What was written in place of what; the watch may still show the latter.
    private record Written(Tree before, Tree after) {}

    StatusWriter(KubeClient client) {
        this.client = client;
    }

    void write(GatewayObject gateway, GatewayStatus status, Instant now) {
        var target = new Target(gateway.namespace(), gateway.name());
        var last = written.get(target);
        var current = last != null && last.before().equals(gateway.status()) ? last.after() : gateway.status();
        var wanted = StatusTree.of(status, gateway.generation(), current, now);
        if (StatusTree.says(current, wanted)) {
            return;
        }
        var tree = Json.of(map(
                "apiVersion",
                Kinds.GATEWAYS.apiVersion(),
                "kind",
                "Gateway",
                "metadata",
                map("name", gateway.name(), "namespace", gateway.namespace()),
                "status",
                wanted));
        client.applyStatus(Kinds.GATEWAYS, gateway.namespace(), gateway.name(), tree, Words.MANAGER);
        written.put(target, new Written(gateway.status(), wanted));
    }

    void forget(Target gateway) {
        written.remove(gateway);
    }

    /// Forgets what was written: others may have been at it meanwhile.
    void forget() {
        written.clear();
    }
}
