// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.random;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// A cluster that makes itself up: first everything, then rounds of creations, changes and deletions.
public final class RandomCluster {
    /// Stands for the uid of the pod that a `targetRef` names.
    public static final String UID_OF_POD = "uid-of-pod";

    /// One thing to do to the cluster.
    public sealed interface Step {
        record Apply(ObjectNode object) implements Step {}

        record Delete(ObjectNode object) implements Step {}

        /// A pod that is asked to end and never does.
        record Terminate(ObjectNode pod) implements Step {}
    }

    private record Kind(Family family, int atFirst, int most) {}

    private final Dice dice;
    private final Places places;
    private final List<Kind> kinds;
    private final Map<String, ObjectNode> fixed = new LinkedHashMap<>();
    private final Map<String, ObjectNode> objects = new LinkedHashMap<>();
    private final Map<String, Kind> kindOf = new LinkedHashMap<>();
    private final Map<Kind, Integer> created = new LinkedHashMap<>();

    public RandomCluster(long seed) {
        dice = new Dice(seed);
        places = new Places(dice);
        kinds = List.of(
                new Kind(new Gateways(dice), Gateways.most(), Gateways.most()),
                new Kind(new Pods(dice), 25, 150),
                new Kind(new Services(dice), 15, 150),
                new Kind(new Slices(dice, objects::values), 6, 150),
                new Kind(new ServiceEntries(dice), 12, 150),
                new Kind(new WorkloadEntries(dice), 8, 150),
                new Kind(new AuthorizationPolicies(dice), 12, 150),
                new Kind(new PeerAuthentications(dice), 6, PeerAuthentications.most()));
    }

    /// Everything there is at first. Namespaces come before what is in them.
    public List<Step> start() {
        var steps = new ArrayList<Step>();
        var all = new ArrayList<>(places.namespaces());
        all.add(places.root());
        all.add(places.mesh());
        all.addAll(places.nodes());
        for (var object : all) {
            fixed.put(key(object), object);
            steps.add(new Step.Apply(object.deepCopy()));
        }
        for (var kind : kinds) {
            for (var i = 0; i < kind.atFirst; i++) {
                steps.add(create(kind));
            }
        }
        return steps;
    }

    /// The next few things that happen.
    public List<Step> round(int length) {
        var steps = new ArrayList<Step>();
        for (var i = 0; i < length; i++) {
            steps.add(next());
        }
        return steps;
    }

    /// The namespaces that MeshConfig keeps out of the mesh at the moment.
    public Set<String> hiddenNamespaces() {
        return Places.hidden(fixed.values());
    }

    private Step next() {
        var roll = dice.between(1, 100);
        if (roll <= 10) {
            return changePlace();
        }
        if (roll <= 35) {
            return create(dice.pick(kinds));
        }
        var object = dice.pick(List.copyOf(objects.values()));
        var kind = kindOf.get(key(object));
        if (kind == null) {
            throw new IllegalStateException("nobody made " + key(object));
        }
        if (roll <= 60) {
            objects.remove(key(object));
            return object.path("kind").asText().equals("Pod") && dice.chance(30)
                    ? new Step.Terminate(object)
                    : new Step.Delete(object);
        }
        kind.family.change(object);
        return new Step.Apply(object.deepCopy());
    }

    /// A number that is already taken names an object that exists: it changes then.
    private Step create(Kind kind) {
        var number = created.merge(kind, 1, Integer::sum) - 1;
        var object = kind.family.create(number % kind.most);
        var existing = objects.get(key(object));
        if (existing != null) {
            kind.family.change(existing);
            return new Step.Apply(existing.deepCopy());
        }
        objects.put(key(object), object);
        kindOf.put(key(object), kind);
        return new Step.Apply(object.deepCopy());
    }

    private Step changePlace() {
        var object = dice.pick(List.copyOf(fixed.values()));
        switch (object.path("kind").asText()) {
            case "Node" -> places.changeNode(object);
            case "ConfigMap" -> places.changeMesh(object);
            default -> {
                if (object.at("/metadata/name").asText().equals(Places.ROOT)) {
                    places.changeRoot(object);
                } else {
                    places.changeNamespace(object);
                }
            }
        }
        return new Step.Apply(object.deepCopy());
    }

    private static String key(ObjectNode object) {
        return "%s/%s/%s"
                .formatted(
                        object.path("kind").asText(),
                        object.at("/metadata/namespace").asText(),
                        object.at("/metadata/name").asText());
    }
}
