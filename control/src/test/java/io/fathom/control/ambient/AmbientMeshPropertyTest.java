// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.base.flow.Failures;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Feature;
import io.fathom.model.mesh.Address;
import io.fathom.model.mesh.GatewayAddress.GatewayDestination;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Whatever happened before, what counts is what is there now.
class AmbientMeshPropertyTest {
    private static final int STEPS = 120;

    private record Id(Class<? extends Manifest> kind, ObjectKey key) {}

    static LongStream seeds() {
        return LongStream.range(0, 60);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void givenAnyHistory_thenTheStateIsThatOfBuildFromScratch(long seed) {
        var random = new Random(seed);
        var config = config(random);
        var manifests = new RandomManifests(random);
        var lived = new AmbientMesh(config, Failures.rethrown());
        var present = new LinkedHashMap<Id, Manifest>();
        var batch = new ArrayList<ManifestChange>();
        for (int step = 0; step < STEPS; step++) {
            batch.add(random.nextInt(4) == 0 ? remove(random, present) : put(manifests, present));
            if (random.nextInt(4) == 0) {
                lived.apply(batch);
                batch.clear();
                assertSound(lived);
            }
        }
        lived.apply(batch);

        var fresh = new AmbientMesh(config, Failures.rethrown());
        var all = new ArrayList<ManifestChange>();
        present.values().forEach(manifest -> all.add(new ManifestChange.Put(manifest)));
        Collections.shuffle(all, random);
        fresh.apply(all);

        assertThat(rows(lived, lived.addresses())).isEqualTo(rows(fresh, fresh.addresses()));
        assertThat(rows(lived, lived.authorizations())).isEqualTo(rows(fresh, fresh.authorizations()));
        assertThat(rows(lived, lived.statuses())).isEqualTo(rows(fresh, fresh.statuses()));
        assertThat(rows(lived, lived.problems())).isEqualTo(rows(fresh, fresh.problems()));
        assertSound(fresh);
    }

    private static AmbientConfig config(Random random) {
        var config = AmbientConfig.defaults();
        for (var feature : Feature.values()) {
            config = random.nextInt(3) == 0
                    ? config.has(feature) ? config.without(feature) : config.with(feature)
                    : config;
        }
        return config;
    }

    private static ManifestChange put(RandomManifests manifests, Map<Id, Manifest> present) {
        var manifest = manifests.next().manifest();
        present.put(new Id(manifest.getClass(), manifest.key()), manifest);
        return new ManifestChange.Put(manifest);
    }

    private static ManifestChange remove(Random random, Map<Id, Manifest> present) {
        var ids = List.copyOf(present.keySet());
        if (ids.isEmpty()) {
            return new ManifestChange.Remove(PodManifest.class, new ObjectKey(Draft.CLUSTER, "app", "a"));
        }
        var id = ids.get(random.nextInt(ids.size()));
        present.remove(id);
        return new ManifestChange.Remove(id.kind(), id.key());
    }

    private static <K extends Comparable<K>, V> Map<K, V> rows(AmbientMesh mesh, Table<K, V> table) {
        var result = new TreeMap<K, V>();
        mesh.cut().of(table).forEach(result::put);
        return result;
    }

    /// What must hold at every moment.
    private static void assertSound(AmbientMesh mesh) {
        var addresses = rows(mesh, mesh.addresses());
        var policies = rows(mesh, mesh.authorizations()).keySet();
        var gatewayServices = gatewayServices(addresses);
        addresses.forEach((name, address) -> {
            assertThat(address.resourceName()).isEqualTo(name);
            switch (address) {
                case Workload workload -> {
                    assertThat(policies)
                            .as("case119: policies that %s lists", name)
                            .containsAll(workload.authorizationPolicies());
                    if (workload.services().keySet().stream().anyMatch(gatewayServices::contains)) {
                        assertThat(workload.waypoint())
                                .as("%s makes a waypoint work and has one", name)
                                .isEmpty();
                    }
                    // Endpoints of a service that is served only; a folded service may be of another cluster.
                    assertThat(addresses.keySet())
                            .containsAll(workload.services().keySet());
                }
                case Service service -> {
                    if (gatewayServices.contains(name)) {
                        assertThat(service.waypoint())
                                .as("%s leads to a waypoint and has one", name)
                                .isEmpty();
                    }
                }
            }
        });
    }

    /// The services that some waypoint in use is reached by.
    private static Set<String> gatewayServices(Map<String, Address> addresses) {
        var byAlias = new TreeMap<String, Set<String>>();
        addresses.forEach((name, address) -> {
            if (address instanceof Service) {
                byAlias.computeIfAbsent(name, _ -> new HashSet<>()).add(name);
                address.aliases()
                        .forEach(alias -> byAlias.computeIfAbsent(alias, _ -> new HashSet<>())
                                .add(name));
            }
        });
        var result = new HashSet<String>();
        addresses.values().forEach(address -> {
            var waypoint = switch (address) {
                case Workload workload -> workload.waypoint();
                case Service service -> service.waypoint();
            };
            waypoint.map(own -> switch (own.destination()) {
                        case GatewayDestination.ByHostname(var host) -> host.key();
                        case GatewayDestination.ByAddress(var at) -> at.alias();
                    })
                    .ifPresent(key -> result.addAll(byAlias.getOrDefault(key, Set.of())));
        });
        return result;
    }
}
