// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import static io.fathom.control.ambient.VipEntries.entry;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.base.flow.Failures;
import io.fathom.control.Ids;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Feature;
import io.fathom.control.ambient.vip.Vips;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.Service;
import io.fathom.wire.kube.ManifestChange;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Several control planes plan addresses for one cluster; only the leader's are written.
class VipReplicasTest {
    private final VipMesh leader = new VipMesh();
    private final VipMesh follower = new VipMesh();
    private final Map<String, VipEntries> cluster = new TreeMap<>();

    @Test
    void givenOtherPlansOfItsOwn_whenTheLeaderWrites_thenTheFollowerAdoptsThem() {
        follower.put(entry("ext/old", "old").createdAt(1));
        var young = entry("ext/young", "young").createdAt(9);
        leader.put(young); // the leader has not seen the other one yet
        assertThat(follower.of("ext/old")).isEqualTo(leader.of("ext/young").replace("young", "old"));

        follower.put(young.withAssigned("young=240.240.0.1", "young=2001:2::1"));

        assertThat(follower.of("ext/young")).isEqualTo("young=240.240.0.1+2001:2::1");
        assertThat(follower.of("ext/old")).isEqualTo("old=240.240.0.2+2001:2::2");
    }

    @Test
    void givenTwoStatusesThatNameOneAddress_thenTheOlderEntryKeepsIt() {
        leader.put(
                entry("ext/young", "young").createdAt(9).withAssigned("young=240.240.0.1", "young=2001:2::1"),
                entry("ext/old", "old").createdAt(1).withAssigned("old=240.240.0.1", "old=2001:2::1"));
        assertThat(leader.of("ext/old")).isEqualTo("old=240.240.0.1+2001:2::1");
        assertThat(leader.of("ext/young")).isNotEqualTo("young=240.240.0.1+2001:2::1");
    }

    @Test
    void givenAPlanThatIsNotWritten_thenNothingOfItIsServed() {
        var plain = entry("ext/a", "a");
        leader.put(plain);
        var vips = leader.vips("ext/a").orElseThrow();
        assertThat(vips.writtenIn(plain.manifest()).of("a")).isEmpty();
        var written = plain.withAssigned("a=240.240.0.1", "a=2001:2::1", "b=240.240.0.7");
        assertThat(vips.writtenIn(written.manifest()).of("a"))
                .extracting(Ip::toString)
                .containsExactly("240.240.0.1", "2001:2::1");
        assertThat(vips.writtenIn(plain.withAssigned("b=240.240.0.1").manifest())
                        .of("a"))
                .isEmpty();
    }

    @Test
    void givenACluster_thenTheMeshServesAddressesOnceTheyAreWritten() {
        var mesh =
                new AmbientMesh(AmbientConfig.defaults().without(Feature.SERVE_PLANNED_ADDRESSES), Failures.rethrown());
        var plain = entry("ext/a", "a");
        mesh.apply(List.of(new ManifestChange.Put(plain.manifest())));
        assertThat(addresses(mesh)).isEmpty();
        var planned = mesh.cut()
                .of(mesh.statuses())
                .find(Ids.of("ServiceEntry/ext/a"))
                .orElseThrow();
        assertThat(planned.addresses()).hasSize(2);
        mesh.apply(List.of(new ManifestChange.Put(
                plain.withAssigned("a=240.240.0.1", "a=2001:2::1").manifest())));
        assertThat(addresses(mesh)).hasSize(2);
    }

    private static List<?> addresses(AmbientMesh mesh) {
        return mesh.cut().of(mesh.addresses()).find("ext/a").stream()
                .map(Service.class::cast)
                .flatMap(service -> service.addresses().stream())
                .toList();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void givenAnyOrderOfEvents_whenAllIsWritten_thenAllReplicasServeTheSame(long seed) {
        var random = new SplittableRandom(seed);
        var late = new ArrayList<String>();
        for (var i = 0; i < 60; i++) {
            var path = "ext/e" + random.nextInt(12);
            cluster.put(
                    path,
                    entry(path, "h" + random.nextInt(3), "k" + random.nextInt(3))
                            .createdAt(random.nextInt(5))
                            .withAssigned(assigned(path)));
            leader.put(known(path));
            late.add(path);
            if (random.nextInt(3) == 0) {
                write(cluster.keySet().stream().toList().get(random.nextInt(cluster.size())), late);
            }
            if (random.nextInt(3) == 0) {
                catchUp(random, late);
            }
        }
        for (var round = 0; round < 10; round++) { // entries that lose an address need another round
            List.copyOf(cluster.keySet()).forEach(path -> write(path, late));
        }
        catchUp(random, late);
        assertThat(served(follower)).isEqualTo(served(leader)).isNotEmpty();
        assertThat(served(follower)).isEqualTo(leader.all());
    }

    /// What the address writer does: the leader's plan becomes the status, which the leader sees at once.
    private void write(String path, List<String> late) {
        var planned = leader.vips(path).map(Vips::byHost).orElse(Map.of());
        var values = new ArrayList<String>();
        planned.forEach((host, addresses) -> addresses.forEach(ip -> values.add(host + "=" + ip)));
        var written = known(path).withAssigned(values.toArray(String[]::new));
        cluster.put(path, written);
        leader.put(written);
        late.add(path);
    }

    /// The follower hears of the latest states, in any order.
    private void catchUp(SplittableRandom random, List<String> late) {
        while (!late.isEmpty()) {
            follower.put(known(late.remove(random.nextInt(late.size()))));
        }
    }

    private Map<String, List<Ip>> served(VipMesh mesh) {
        var all = new LinkedHashMap<String, List<Ip>>();
        cluster.forEach((path, entry) -> mesh.vips(path)
                .map(vips -> vips.writtenIn(entry.manifest()))
                .ifPresent(vips -> vips.byHost().forEach((host, ips) -> all.put(path + " " + host, ips))));
        return all;
    }

    private VipEntries known(String path) {
        return Objects.requireNonNull(cluster.get(path));
    }

    private String[] assigned(String path) {
        return cluster.containsKey(path)
                ? known(path).assigned().stream()
                        .map(address -> address.host() + "=" + address.value())
                        .toArray(String[]::new)
                : new String[0];
    }
}
