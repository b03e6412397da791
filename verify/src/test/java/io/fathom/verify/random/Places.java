package io.fathom.verify.random;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fathom.verify.peers.KubeKind;
import java.util.List;

/// Namespaces and nodes: they stay from the first to the last round, and only their labels change.
final class Places {
    static final List<String> NAMESPACES = List.of("app", "edge", "shop");
    static final String ROOT = "istio-system";
    static final List<String> NODES = List.of("node-a", "node-b", "node-c");

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

    void changeNamespace(ObjectNode namespace) {
        var labels = Draft.labels(namespace);
        Draft.maybe(dice, 80, labels, "istio.io/dataplane-mode", "ambient");
        Draft.maybe(dice, 50, labels, "istio.io/use-waypoint", "wp-1", "wp-2", "nowhere", "none");
        Draft.maybe(dice, 20, labels, "istio.io/use-waypoint-namespace", NAMESPACES.toArray(String[]::new));
        Draft.maybe(dice, 30, labels, "istio.io/ingress-use-waypoint", "true", "false");
        Draft.maybe(dice, 10, labels, "team", "blue", "red");
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
