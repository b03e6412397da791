// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import static io.fathom.model.routing.Fixtures.ip;
import static io.fathom.model.routing.Fixtures.ipPort;
import static io.fathom.model.routing.Fixtures.pod;
import static io.fathom.model.routing.Fixtures.service;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.mesh.Address;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A node holds the whole mesh, so what a workload costs is guarded here.
@Tag("slow")
final class MeshFootprintTest {
    private static final int SERVICES = 2_000;
    private static final int PODS_EACH = 10;

    @Test
    void givenTwentyThousandWorkloads_thenEachCostsLittleHeap() {
        var before = used();
        var store = new MeshStore(Optional.of("node-1"));
        fill(store);
        var perWorkload = (used() - before) / (SERVICES * PODS_EACH);
        assertThat(store.view().workloadCount()).isEqualTo(SERVICES * PODS_EACH);
        assertThat(perWorkload)
                .as("bytes for a workload and its tenth of a service")
                .isLessThan(400);
    }

    @Test
    void givenALargeMesh_whenOnePodChanges_thenADecisionLooksAtLittleOfIt() {
        var store = new MeshStore(Optional.of("node-1"));
        fill(store);
        var router = new OutboundRouter("n1", ProxyPorts.DEFAULT, new Balancer(Load.UNKNOWN));
        var client = pod("client", "10.0.0.1").build();
        var request = new OutboundRequest(client, ip("10.0.0.1"), ipPort("10.200.0.7:80"));
        var random = new Random(1);
        router.decide(store.view(), request, random);
        var bean = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        var allocated = bean.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 1_000; i++) {
            router.decide(store.view(), request, random);
        }
        assertThat((bean.getCurrentThreadAllocatedBytes() - allocated) / 1_000)
                .as("bytes of garbage for a decision")
                .isLessThan(2_000);
    }

    /// In pieces and with strings of its own for each workload, as they come off the wire.
    private static void fill(MeshStore store) {
        for (int s = 0; s < SERVICES; s++) {
            var batch = new ArrayList<Address>();
            var name = "service-number-" + s;
            batch.add(service(name, "10.200." + s / 256 + "." + s % 256).build());
            for (int p = 0; p < PODS_EACH; p++) {
                var number = s * PODS_EACH + p;
                batch.add(pod(
                                name + "-5d89c7bf9-" + Integer.toString(100_000 + number, 36),
                                "10." + number / 65_536 + "." + number / 256 % 256 + "." + number % 256)
                        .workloadName(name)
                        .account("account-of-" + s)
                        .node("node-" + number % 1_000)
                        .locality("region-1/zone-" + number % 3)
                        .behind(name)
                        .build());
            }
            store.apply(MeshDelta.ofAddresses(batch, List.of()));
        }
    }

    private static long used() {
        var runtime = Runtime.getRuntime();
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
