// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.vip;

import static io.fathom.control.ambient.VipEntries.entry;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.ambient.VipEntries;
import io.fathom.control.ambient.VipMesh;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpBlock;
import io.fathom.wire.kube.networking.ServiceEntryManifest.Resolution;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Random histories on a pool so small that it runs out now and then.
final class VipPlannerPropertyTest {
    private static final List<String> HOSTS = List.of("a", "b", "c", "*.w");

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void givenARandomHistory_thenAddressesAreUniqueStableAndNeverAUsers(long seed) {
        var random = new Random(seed);
        var mesh = new VipMesh("10.0.0.0/28", "2001:2::/48");
        var entries = new TreeMap<String, VipEntries>();
        for (int step = 0; step < 600; step++) {
            var before = mesh.all();
            var previously = new HashMap<>(entries);
            var batch = new ArrayList<VipEntries>();
            for (int size = random.nextInt(3); size >= 0; size--) {
                batch.add(random(random, "ext/" + random.nextInt(8)));
            }
            if (random.nextInt(3) == 0) {
                entries.remove(batch.getFirst().path());
                mesh.remove(batch.getFirst().path());
            } else {
                batch.forEach(entry -> entries.put(entry.path(), entry));
                mesh.put(batch.toArray(VipEntries[]::new));
            }
            check(mesh, entries, "seed " + seed + ", step " + step);
            checkStable(before, mesh.all(), previously, entries);
        }
    }

    private static VipEntries random(Random random, String path) {
        var hosts = HOSTS.stream().filter(_ -> random.nextBoolean()).toArray(String[]::new);
        var entry = entry(path, hosts).createdAt(random.nextInt(5));
        return switch (random.nextInt(8)) {
            case 0 -> entry.optedOut();
            case 1 -> entry.withResolution(Resolution.NONE);
            case 2 -> entry.withResolution(Resolution.DYNAMIC_DNS);
            case 3 -> entry.withAddresses("10.0.0." + random.nextInt(20), "2001:2::" + random.nextInt(1, 9));
            case 4 -> entry.withAddresses("10.0.0." + random.nextInt(20) + "/30");
            case 5 -> entry.withAssigned("a=10.0.0." + random.nextInt(16), "b=2001:2::" + random.nextInt(1, 20));
            default -> entry;
        };
    }

    private static void check(VipMesh mesh, Map<String, VipEntries> entries, String what) {
        var all = mesh.all();
        var seen = new HashSet<Ip>();
        all.forEach((host, addresses) -> addresses.forEach(ip -> assertThat(seen.add(ip))
                .as("%s: %s of %s is unique", what, ip, host)
                .isTrue()));
        var written = entries.values().stream()
                .flatMap(entry -> entry.addresses().stream())
                .map(text -> IpBlock.parse(text).orElseThrow())
                .toList();
        assertThat(seen).as(what).noneMatch(ip -> written.stream().anyMatch(block -> block.contains(ip)));
        entries.values().forEach(entry -> {
            var hosts = VipPlanner.eligibleHosts(entry.manifest());
            var held =
                    mesh.vips(entry.path()).map(Vips::byHost).orElse(Map.of()).keySet();
            if (mesh.problem(entry.path()).isEmpty()) {
                assertThat(held).as(what).containsExactlyElementsOf(hosts);
            } else {
                assertThat(hosts).as(what).containsAll(held).hasSizeGreaterThan(held.size());
            }
        });
    }

    /// A host may lose its addresses only if its own entry changed, or if somebody else has one of them now.
    private static void checkStable(
            Map<String, List<Ip>> before,
            Map<String, List<Ip>> after,
            Map<String, VipEntries> entriesBefore,
            Map<String, VipEntries> entries) {
        var heldNow = new HashMap<Ip, String>();
        after.forEach((host, addresses) -> addresses.forEach(ip -> heldNow.put(ip, host)));
        var written = entries.values().stream()
                .flatMap(entry -> entry.addresses().stream())
                .map(text -> IpBlock.parse(text).orElseThrow())
                .toList();
        before.forEach((host, addresses) -> {
            var path = host.substring(0, host.indexOf(' '));
            if (Objects.equals(entries.get(path), entriesBefore.get(path)) && !addresses.equals(after.get(host))) {
                assertThat(addresses)
                        .as("%s moved for a reason", host)
                        .anyMatch(ip ->
                                heldNow.containsKey(ip) || written.stream().anyMatch(block -> block.contains(ip)));
            }
        });
    }

    /// Not a benchmark: it ends soon only because a change does not look at all entries.
    @Test
    void givenManyEntries_whenOneChanges_thenTheCostFollowsTheChange() {
        var mesh = new VipMesh();
        var count = 10_000;
        var all = new VipEntries[count];
        for (int i = 0; i < count; i++) {
            all[i] = entry("ext/" + i, "h" + i).createdAt(i);
        }
        mesh.put(all);
        for (int i = 0; i < count; i++) {
            mesh.put(all[i].withHosts("h" + i, "g" + i));
        }
        assertThat(mesh.all()).hasSize(2 * count);
    }
}
