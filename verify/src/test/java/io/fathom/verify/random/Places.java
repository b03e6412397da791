// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.random;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fathom.verify.peers.KubeKind;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/// Namespaces, nodes and MeshConfig: they stay from the first to the last round and only change.
final class Places {
    static final List<String> NAMESPACES = List.of("app", "edge", "shop");
    static final String ROOT = "istio-system";
    static final List<String> NODES = List.of("node-a", "node-b", "node-c");

    private static final String ONLY_BLUE = """
            discoverySelectors:
            - matchLabels: {kubernetes.io/metadata.name: istio-system}
            - matchLabels: {team: blue}
            """;
    private static final String NOT_BLUE = """
            discoverySelectors:
            - matchExpressions:
              - {key: team, operator: NotIn, values: [blue]}
            """;

    private final Dice dice;

    Places(Dice dice) {
        this.dice = dice;
    }

    List<ObjectNode> namespaces() {
        return NAMESPACES.stream()
                .map(name -> Draft.bare(KubeKind.NAMESPACE, name))
                .peek(this::changeNamespace)
                .toList();
    }

    List<ObjectNode> nodes() {
        return NODES.stream()
                .map(name -> Draft.bare(KubeKind.NODE, name))
                .peek(this::changeNode)
                .toList();
    }

    ObjectNode root() {
        var root = Draft.bare(KubeKind.NAMESPACE, ROOT);
        changeRoot(root);
        return root;
    }

    /// MeshConfig, which may hide namespaces from the mesh.
    ObjectNode mesh() {
        var mesh = Draft.bare(KubeKind.CONFIG_MAP, "istio");
        ((ObjectNode) mesh.get("metadata")).put("namespace", ROOT);
        changeMesh(mesh);
        return mesh;
    }

    void changeMesh(ObjectNode mesh) {
        var selectors = dice.chance(30) ? dice.pick(ONLY_BLUE, NOT_BLUE) : "";
        mesh.putObject("data").put("mesh", "rootNamespace: istio-system\ntrustDomain: cluster.local\n" + selectors);
    }

    static Set<String> hidden(Collection<ObjectNode> places) {
        var config = places.stream()
                .map(place -> place.at("/data/mesh").asText())
                .filter(text -> !text.isEmpty())
                .findFirst()
                .orElse("");
        return places.stream()
                .filter(place -> NAMESPACES.contains(place.at("/metadata/name").asText()))
                .filter(place -> {
                    var blue = place.at("/metadata/labels/team").asText().equals("blue");
                    return (config.endsWith(ONLY_BLUE) && !blue) || (config.endsWith(NOT_BLUE) && blue);
                })
                .map(place -> place.at("/metadata/name").asText())
                .collect(Collectors.toSet());
    }

    void changeNamespace(ObjectNode namespace) {
        var labels = Draft.labels(namespace);
        Draft.maybe(dice, 80, labels, "istio.io/dataplane-mode", "ambient");
        Draft.maybe(dice, 50, labels, "istio.io/use-waypoint", "wp-1", "wp-2", "nowhere", "none");
        Draft.maybe(dice, 20, labels, "istio.io/use-waypoint-namespace", NAMESPACES.toArray(String[]::new));
        Draft.maybe(dice, 30, labels, "istio.io/ingress-use-waypoint", "true", "false");
        Draft.maybe(dice, 30, labels, "team", "blue", "red");
        Draft.maybe(
                dice,
                30,
                Draft.annotations(namespace),
                "networking.istio.io/traffic-distribution",
                "PreferClose",
                "PreferSameNode",
                "Unheard");
    }

    void changeNode(ObjectNode node) {
        var labels = Draft.labels(node);
        Draft.maybe(dice, 90, labels, "topology.kubernetes.io/region", "eu", "us");
        Draft.maybe(dice, 80, labels, "topology.kubernetes.io/zone", "z1", "z2");
        Draft.maybe(dice, 30, labels, "topology.istio.io/subzone", "rack-1");
    }

    void changeRoot(ObjectNode root) {
        Draft.maybe(dice, 40, Draft.labels(root), "topology.istio.io/network", "net-1", "net-2");
    }
}
