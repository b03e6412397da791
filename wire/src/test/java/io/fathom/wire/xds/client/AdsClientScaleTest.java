// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fathom.base.lang.SystemTimeline;
import io.fathom.model.mesh.CanonicalService;
import io.fathom.model.mesh.ServiceMembership;
import io.fathom.model.mesh.Workload;
import io.fathom.model.mesh.WorkloadGateways;
import io.fathom.model.mesh.WorkloadNetwork;
import io.fathom.model.mesh.WorkloadOwner;
import io.fathom.model.mesh.WorkloadPlace;
import io.fathom.model.mesh.WorkloadSecurity;
import io.fathom.model.mesh.WorkloadTunnel;
import io.fathom.model.routing.MeshStore;
import io.fathom.wire.workload.AddressCodec;
import io.fathom.wire.xds.store.ResourceBatch;
import io.fathom.wire.xds.store.XdsType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A node holds the whole mesh: what that costs, with everything that comes off the wire.
@Tag("slow")
@Timeout(180)
class AdsClientScaleTest {
    private static final int SERVICES = 5_000;
    private static final int PODS_EACH = 10;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    void givenFiftyThousandWorkloads_thenEachCostsLittle_andAReconnectChangesNothing() throws Exception {
        var mesh = new MeshStore(Optional.of("my-node"));
        try (var control = new ControlPlane(folder);
                var timeline = new SystemTimeline();
                var thread = Executors.newSingleThreadExecutor()) {
            control.store.publish(largeMesh());
            var before = used();
            var start = System.nanoTime();
            var client = AdsClient.start(
                    new XdsClientConfig(
                            control.config(), Meshes.NODE, XdsClientConfig.Scope.ALL, Duration.ofSeconds(5)),
                    mesh::apply,
                    XdsClientObserver.NONE,
                    timeline,
                    thread);
            client.ready().get(60, TimeUnit.SECONDS);
            await().atMost(Duration.ofSeconds(60)).until(() -> mesh.view().workloadCount() == SERVICES * PODS_EACH);
            var took = Duration.ofNanos(System.nanoTime() - start);
            var each = (used() - before) / (SERVICES * PODS_EACH);
            System.out.printf("%d workloads in %s, %d bytes each%n", SERVICES * PODS_EACH, took, each);
            assertThat(each)
                    .as("bytes for a workload, its tenth of a service and its version")
                    .isLessThan(500);

            var held = mesh.view();
            control.resourcesSent.clear();
            control.restart();
            await().atMost(Duration.ofSeconds(60)).until(() -> control.resourcesSent.size() == 3);
            assertThat(control.resourcesSent).containsOnly(0);
            assertThat(mesh.view()).isSameAs(held);
            client.close();
        }
    }

    private static ResourceBatch largeMesh() {
        var batch = new ResourceBatch();
        for (int s = 0; s < SERVICES; s++) {
            var name = "service-number-" + s;
            batch.put(
                    XdsType.ADDRESS, AddressCodec.resource(Meshes.service(name, "10.200." + s / 256 + "." + s % 256)));
            for (int p = 0; p < PODS_EACH; p++) {
                var number = s * PODS_EACH + p;
                var pod = Meshes.podOn(
                        "node-" + number % 1_000,
                        name + "-5d89c7bf9-" + Integer.toString(100_000 + number, 36),
                        "10." + number / 65_536 + "." + number / 256 % 256 + "." + number % 256,
                        "default/" + name);
                batch.put(XdsType.ADDRESS, AddressCodec.resource(shared(pod, name)));
            }
        }
        return batch;
    }

    /// As the replicas of one deployment are: alike but for name, address and node.
    private static Workload shared(Workload it, String deployment) {
        return new Workload(
                it.uid(),
                it.name(),
                it.namespace(),
                new WorkloadNetwork(it.network(), it.addresses(), it.hostname(), it.networkMode()),
                new WorkloadTunnel(it.tunnelProtocol(), it.nativeTunnel(), it.applicationTunnel()),
                new WorkloadSecurity(it.trustDomain(), "account-of-" + deployment, it.authorizationPolicies()),
                new WorkloadGateways(it.waypoint(), it.hairpin(), it.networkGateway()),
                new WorkloadPlace(it.clusterId(), it.node(), it.locality()),
                new CanonicalService(deployment, it.canonicalRevision()),
                new WorkloadOwner(it.type(), deployment),
                it.health(),
                new ServiceMembership(it.services(), it.capacity()));
    }

    private static long used() {
        var runtime = Runtime.getRuntime();
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
