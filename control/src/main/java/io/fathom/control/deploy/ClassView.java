package io.fathom.control.deploy;

import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Tree;
import java.util.Map;

/// A GatewayClass.
record ClassView(String controller, long generation, Tree status) {
    static ClassView of(KubeObject object) {
        var status = object.tree() instanceof Tree.Mapping mapping
                        && mapping.entries().get("status") instanceof Tree.Mapping found
                ? found
                : Json.of(Map.of());
        return new ClassView(
                object.root().at("spec").at("controllerName").text(),
                object.metadata().at("generation").integer(0, Integer.MAX_VALUE).orElse(0),
                status);
    }
}
