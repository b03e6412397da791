// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.random;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fathom.verify.peers.KubeKind;

/// One for the mesh, one for each namespace and one for each app of a namespace, never two for the same: upstream takes
/// the oldest, and ages are whole seconds.
///
/// Modes of a workload with ports are always spelled out, and strict ports of a permissive workload only occur where no
/// wider policy is strict: upstream leaves such ports open otherwise.
final class PeerAuthentications implements Family {
    private final Dice dice;
    private final boolean strictMesh;

    PeerAuthentications(Dice dice) {
        this.dice = dice;
        this.strictMesh = dice.chance(40);
    }

    static int most() {
        return 1 + Places.NAMESPACES.size() * (1 + Draft.APPS.size());
    }

    @Override
    public ObjectNode create(int number) {
        var slot = number % most();
        ObjectNode policy;
        if (slot == 0) {
            policy = Draft.of(KubeKind.PEER_AUTHENTICATION, Places.ROOT, "mesh", "a");
        } else {
            var namespace = Places.NAMESPACES.get((slot - 1) % Places.NAMESPACES.size());
            var app = (slot - 1) / Places.NAMESPACES.size();
            policy = Draft.of(KubeKind.PEER_AUTHENTICATION, namespace, "level-" + app, "a");
            if (app > 0) {
                Draft.spec(policy)
                        .putObject("selector")
                        .putObject("matchLabels")
                        .put("app", Draft.APPS.get(app - 1));
            }
        }
        change(policy);
        return policy;
    }

    @Override
    public void change(ObjectNode policy) {
        var spec = Draft.spec(policy);
        spec.remove("portLevelMtls");
        if (!spec.has("selector")) {
            spec.putObject("mtls")
                    .put(
                            "mode",
                            strictMesh
                                    ? dice.pick("STRICT", "PERMISSIVE", "UNSET")
                                    : dice.pick("PERMISSIVE", "UNSET", "DISABLE"));
            return;
        }
        var mode = dice.pick("STRICT", "PERMISSIVE", "DISABLE");
        spec.putObject("mtls").put("mode", mode);
        if (dice.chance(50) && (mode.equals("STRICT") || !strictMesh)) {
            var ports = spec.putObject("portLevelMtls");
            for (var i = 0; i < dice.between(1, 3); i++) {
                ports.putObject(String.valueOf(dice.between(8080, 8085)))
                        .put("mode", dice.pick("STRICT", "PERMISSIVE", "DISABLE"));
            }
        }
    }
}
