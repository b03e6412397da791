// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.mesh.AppProtocol;
import io.fathom.model.mesh.CanonicalService;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.Port;
import io.fathom.model.mesh.ServiceMembership;
import io.fathom.model.mesh.Workload;
import io.fathom.model.mesh.WorkloadGateways;
import io.fathom.model.mesh.WorkloadNetwork;
import io.fathom.model.mesh.WorkloadOwner;
import io.fathom.model.mesh.WorkloadPlace;
import io.fathom.model.mesh.WorkloadSecurity;
import io.fathom.model.mesh.WorkloadTunnel;
import io.fathom.wire.xds.store.ResourceBatch;
import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.store.XdsType;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What a served workload costs in heap beyond its bytes, once its model value is gone.
@Tag("slow")
class FootprintTest {
    private static final int WORKLOADS = 20_000;
    private static final int SERVICES = 2_000;

    @Test
    void givenManyWorkloads_thenEachIsCheapToServe() {
        var services = new String[SERVICES];
        for (int i = 0; i < SERVICES; i++) {
            services[i] = "namespace-" + (i % 50) + "/service-" + i + ".namespace-" + (i % 50) + ".svc.cluster.local";
        }
        var store = new ResourceStore(InstantSource.system());
        var before = usedHeap();
        var bodies = publish(store, services);
        var perWorkload = (usedHeap() - before) / WORKLOADS;
        System.out.printf("%d bytes of heap per workload, %d of them its body%n", perWorkload, bodies / WORKLOADS);
        assertThat(perWorkload - bodies / WORKLOADS).isLessThan(450);
        assertThat(store.head().resources(XdsType.ADDRESS).size()).isEqualTo(WORKLOADS);
    }

    private static long publish(ResourceStore store, String[] services) {
        var batch = new ResourceBatch();
        var bodies = 0L;
        for (int i = 0; i < WORKLOADS; i++) {
            var resource = AddressCodec.resource(workload(i, services[i % services.length]));
            bodies += resource.body().length;
            batch.put(XdsType.ADDRESS, resource);
        }
        store.publish(batch);
        return bodies;
    }

    private static Workload workload(int number, String service) {
        var namespace = service.substring(0, service.indexOf('/'));
        var name = "deployment-" + number / 10 + "-7d4b9c6f5d-" + number;
        return new Workload(
                "Kubernetes//Pod/" + namespace + "/" + name,
                name,
                namespace,
                new WorkloadNetwork(
                        "network-1",
                        List.of(new Ip(0, 0x0a000000L + number, Ip.Family.V4)),
                        "",
                        Workload.NetworkMode.STANDARD),
                WorkloadTunnel.of(Workload.TunnelProtocol.HBONE),
                new WorkloadSecurity(
                        "", "account-" + number / 10, List.of("istio-system/istio_converted_static_strict")),
                WorkloadGateways.NONE,
                new WorkloadPlace(
                        "Kubernetes", "node-" + number / 100, new Locality("region-1", "zone-" + number % 3, "")),
                new CanonicalService("app-" + number / 10, "v1"),
                new WorkloadOwner(Workload.Type.DEPLOYMENT, "deployment-" + number / 10),
                Workload.Health.HEALTHY,
                new ServiceMembership(Map.of(service, List.of(new Port(80, 8080, AppProtocol.UNKNOWN))), 0));
    }

    private static long usedHeap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
