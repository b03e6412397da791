// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.policy;

import static io.fathom.control.ambient.PolicyManifests.ROOT;
import static io.fathom.control.ambient.PolicyManifests.older;
import static io.fathom.control.ambient.PolicyManifests.peer;
import static io.fathom.control.ambient.PolicyManifests.policy;
import static io.fathom.control.ambient.PolicyManifests.rule;
import static io.fathom.control.ambient.PolicyManifests.select;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Action;
import io.fathom.wire.kube.security.PeerAuthenticationManifest.Mode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Any history of policies and workloads ends in the state of a build from scratch, in any order.
final class PolicyTablesPropertyTest {
    private static final List<String> NAMESPACES = List.of("app", "other", ROOT);
    private static final List<Map<String, String>> LABELS =
            List.of(Map.of(), Map.of("app", "web"), Map.of("app", "api"), Map.of("app", "web", "v", "1"));

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void givenARandomHistory_thenTheStateIsThatOfABuildFromScratch(long seed) {
        var random = new Random(seed);
        var mesh = new PolicyMesh();
        var remaining = new LinkedHashMap<String, Consumer<PolicyMesh>>();
        for (int step = 0; step < 300; step++) {
            var path = pick(random, NAMESPACES) + "/" + random.nextInt(4);
            var kind = random.nextInt(3);
            var id = kind + " " + path;
            if (random.nextInt(4) == 0) {
                remaining.remove(id);
                switch (kind) {
                    case 0 -> mesh.removePolicy(path);
                    case 1 -> mesh.removePeer(path);
                    default -> mesh.removeWorkload(path);
                }
            } else {
                var put = put(random, kind, path);
                remaining.put(id, put);
                put.accept(mesh);
            }
        }
        var order = new ArrayList<>(remaining.values());
        Collections.shuffle(order, random);
        var scratch = new PolicyMesh();
        order.forEach(put -> put.accept(scratch));
        assertThat(mesh.state()).isEqualTo(scratch.state());
    }

    private static Consumer<PolicyMesh> put(Random random, int kind, String path) {
        var labels = pick(random, LABELS);
        return switch (kind) {
            case 0 -> {
                var plain = policy(path, pick(random, List.of(Action.values())), rule());
                var policy = random.nextBoolean() ? select(plain, labels) : plain;
                yield mesh -> mesh.put(policy);
            }
            case 1 -> {
                var ports = random.nextBoolean() ? Map.of(80, mode(random), 90, mode(random)) : Map.<Integer, Mode>of();
                var peer = older(peer(path, mode(random), labels, ports), random.nextInt(3));
                yield mesh -> mesh.put(peer);
            }
            default -> mesh -> mesh.workload(path, labels);
        };
    }

    private static Mode mode(Random random) {
        return pick(random, List.of(Mode.values()));
    }

    private static <T> T pick(Random random, List<T> all) {
        return all.get(random.nextInt(all.size()));
    }
}
