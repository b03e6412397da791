// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import io.fathom.control.deploy.DeploySettings.Option;
import io.fathom.control.gateway.GatewayProfile;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Limits;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Objects from YAML: a Gateway and the ConfigMaps that change what it becomes, in their order.
record Scene(DeployedGateway gateway, List<Overlay> overlays) {
    static final DeploySettings SETTINGS = new DeploySettings(
            "default",
            "istio-system",
            "cluster.local",
            "Kubernetes",
            "",
            "proxy.example/fathom-proxy:1",
            "",
            "warning",
            Set.of(Option.CLASSES));
    static final MeshFacts FACTS = new MeshFacts("", "cluster.local");

    static Scene of(String yaml) {
        var gateways = new ArrayList<DeployedGateway>();
        var overlays = new ArrayList<Overlay>();
        for (var object : objects(yaml)) {
            if (object.kind().equals("Gateway")) {
                GatewayDraft.read(object.tree())
                        .map(own -> new DeployedGateway(own, own.listeners()))
                        .ifPresent(gateways::add);
            } else {
                overlays.add(Overlay.parse(
                        "ConfigMap " + object.namespace() + "/" + object.name(),
                        object.root().at("data").textMap()));
            }
        }
        return new Scene(gateways.getFirst(), overlays);
    }

    static List<KubeObject> objects(String yaml) {
        return Documents.ofYaml("input", yaml, Limits.DEFAULT).stream()
                .map(document -> switch (document) {
                    case Document.Parsed parsed -> new KubeObject(parsed.root());
                    case Document.Broken broken -> throw broken.cause();
                })
                .toList();
    }

    GatewayProfile profile() {
        return GatewayProfile.of(gateway.className(), Optional.empty()).orElseThrow();
    }

    Plan plan() {
        return plan(SETTINGS, FACTS);
    }

    Plan plan(DeploySettings settings, MeshFacts facts) {
        return new GatewayPlanner(settings).plan(gateway, profile(), overlays, facts);
    }
}
