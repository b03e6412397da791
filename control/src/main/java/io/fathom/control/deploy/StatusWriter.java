package io.fathom.control.deploy;

import static io.fathom.control.deploy.Maps.map;

import io.fathom.wire.kube.ListenerSetManifest;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Tree;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Writes the status of Gateways and ListenerSets, unless they say it already. Any thread.
final class StatusWriter {
    private final KubeClient client;
    private final Map<Key, Written> written = new ConcurrentHashMap<>();

    /// @param gateway that it belongs to
    private record Key(KubeResource resource, Target target, String uid, Target gateway) {}

    /// Makes a status out of the one that is there.
    private interface Maker {
        Tree make(Tree before);
    }

    /// What was written in place of what; the watch may still show the latter.
    private record Written(Tree before, Tree after) {}

    StatusWriter(KubeClient client) {
        this.client = client;
    }

    void write(GatewayObject gateway, GatewayStatus status, Instant now) {
        var target = new Target(gateway.namespace(), gateway.name());
        write(
                new Key(Kinds.GATEWAYS, target, gateway.uid(), target),
                "Gateway",
                gateway.status(),
                before -> StatusTree.of(status, gateway.generation(), before, now));
    }

    void write(ListenerSetObject set, ListenerSetStatus status, Instant now) {
        write(
                new Key(Kinds.LISTENER_SETS, set.target(), set.uid(), set.gateway()),
                ListenerSetManifest.KIND,
                set.status(),
                before -> StatusTree.of(status, set.generation(), before, now));
    }

    private void write(Key key, String kind, Tree shown, Maker maker) {
        var last = written.get(key);
        var current = last != null && last.before().equals(shown) ? last.after() : shown;
        var wanted = maker.make(current);
        if (StatusTree.says(current, wanted)) {
            return;
        }
        var target = key.target();
        var tree = Json.of(map(
                "apiVersion",
                key.resource().apiVersion(),
                "kind",
                kind,
                "metadata",
                map("name", target.name(), "namespace", target.namespace()),
                "status",
                wanted));
        client.applyStatus(key.resource(), target.namespace(), target.name(), tree, Words.MANAGER);
        written.put(key, new Written(shown, wanted));
    }

    void forget(Target gateway) {
        written.keySet().removeIf(key -> key.gateway().equals(gateway));
    }

    /// Forgets ListenerSets that are not at a Gateway any more.
    ///
    /// @param uids of those that are
    void forgetSetsBut(Set<String> uids, Target gateway) {
        written.keySet()
                .removeIf(key -> key.resource().equals(Kinds.LISTENER_SETS)
                        && key.gateway().equals(gateway)
                        && !uids.contains(key.uid()));
    }

    /// Forgets what was written: others may have been at it meanwhile.
    void forget() {
        written.clear();
    }
}
