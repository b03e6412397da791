// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import static io.fathom.model.routing.Fixtures.ip;
import static io.fathom.model.routing.Fixtures.pod;
import static io.fathom.model.routing.Fixtures.service;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.mesh.Address;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Whatever the order in which a mesh came to be, a view answers like one built from scratch.
final class MeshStorePropertyTest {
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void givenAnyDeltas_thenTheViewEqualsARebuild(long seed) {
        var random = new Random(seed);
        var store = new MeshStore(Optional.of("node1"));
        var truth = new TreeMap<String, Address>();
        for (int step = 0; step < 60; step++) {
            var put = new ArrayList<Address>();
            var removed = new ArrayList<String>();
            for (int i = random.nextInt(6); i >= 0; i--) {
                if (random.nextInt(3) == 0 && !truth.isEmpty()) {
                    removed.add(List.copyOf(truth.keySet()).get(random.nextInt(truth.size())));
                } else {
                    put.add(address(random));
                }
            }
            removed.forEach(truth::remove);
            put.forEach(address -> truth.put(address.resourceName(), address));
            store.apply(MeshDelta.ofAddresses(put, removed));
            if (step % 10 == 9) {
                assertThat(answers(store.view())).isEqualTo(answers(rebuilt(truth, random)));
            }
        }
        var before = store.view();
        var wanted = answers(before);
        store.apply(MeshDelta.ofAddresses(List.of(), List.copyOf(truth.keySet())));
        assertThat(answers(store.view())).isEqualTo(answers(MeshView.empty(Optional.of("node1"))));
        assertThat(store.view().workloadIndex().byIp().size()).isZero();
        assertThat(store.view().workloadIndex().local().size()).isZero();
        assertThat(store.view().services().size()).isZero();
        assertThat(store.view().serviceIndex().vips().size()).isZero();
        assertThat(store.view().serviceIndex().ranges().size()).isZero();
        assertThat(answers(before)).as("older views stay as they were").isEqualTo(wanted);
    }

    private static MeshView rebuilt(Map<String, Address> truth, Random random) {
        var all = new ArrayList<>(truth.values());
        Collections.shuffle(all, random);
        var store = new MeshStore(Optional.of("node1"));
        store.apply(MeshDelta.ofAddresses(all, List.of()));
        return store.view();
    }

    private static Address address(Random random) {
        var number = random.nextInt(8);
        if (random.nextInt(3) == 0) {
            var draft = service("s" + number, "10.1.0." + random.nextInt(3), "10.1.0.0/" + (24 + random.nextInt(8)))
                    .namespace("ns" + (1 + random.nextInt(2)));
            return (random.nextBoolean() ? draft.hidden() : draft.canonical()).build();
        }
        var draft = pod("p" + number, "10.0.0." + random.nextInt(5), "2001:db8::" + random.nextInt(5))
                .node("node" + random.nextInt(3))
                .network("n" + (1 + random.nextInt(2)))
                .hostname(random.nextBoolean() ? "" : "h" + random.nextInt(3));
        if (random.nextBoolean()) {
            draft.behind("s" + random.nextInt(8));
        }
        if (random.nextBoolean()) {
            draft.behind("ns2/s" + random.nextInt(8) + ".example", "80:" + (1 + random.nextInt(3)));
        }
        return (random.nextInt(4) == 0 ? draft.unhealthy() : random.nextInt(4) == 0 ? draft.onHostNetwork() : draft)
                .build();
    }

    private static Map<String, Object> answers(MeshView view) {
        var answers = new TreeMap<String, Object>();
        view.forEachWorkload(workload -> answers.put("workload " + workload.uid(), workload));
        view.forEachLocalWorkload(workload -> answers.put("local " + workload.uid(), workload));
        view.forEachService(service -> {
            answers.put("service " + service.key(), service);
            answers.put("endpoints " + service.key(), view.endpoints(service.key()));
        });
        view.stagedServices().forEach(key -> answers.put("staged " + key, view.endpoints(key)));
        for (int i = 0; i < 8; i++) {
            for (var network : List.of("n1", "n2")) {
                answers.put(network + " 4 " + i, view.workloadAt(network, ip("10.0.0." + i)));
                answers.put(network + " 6 " + i, view.workloadAt(network, ip("2001:db8::" + i)));
                for (var namespace : List.of("ns1", "ns2", "ns3")) {
                    answers.put(
                            network + " vip " + namespace + i, view.serviceAt(network, ip("10.1.0." + i), namespace));
                }
            }
            answers.put("named " + i, view.serviceNamed("s" + i + ".example", "ns2"));
            answers.put("all named " + i, view.servicesNamed("s" + i + ".example"));
            answers.put(
                    "host " + i,
                    Optional.ofNullable(view.workloadIndex().named("ns1", "h" + i))
                            .map(Member::workload));
        }
        return answers;
    }
}
