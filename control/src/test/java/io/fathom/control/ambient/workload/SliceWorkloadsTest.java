// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.workload;

import static io.fathom.control.ambient.Drafts.service;
import static io.fathom.control.ambient.Drafts.slice;
import static io.fathom.control.ambient.TestMesh.ports;
import static io.fathom.control.ambient.TestMesh.serviceName;
import static io.fathom.control.ambient.TestMesh.sliceUid;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.ambient.Drafts;
import io.fathom.control.ambient.TestMesh;
import io.fathom.model.mesh.Workload;
import io.fathom.wire.kube.core.EndpointSliceManifest.AddressType;
import io.fathom.wire.kube.core.ServiceManifest;
import org.junit.jupiter.api.Test;

class SliceWorkloadsTest {
    private final TestMesh mesh = new TestMesh();

    @Test
    void case12_givenEndpointWithoutReference_thenWorkloadOfItsOwn() {
        mesh.put(
                service("app/manual").port("http", 80, 8080),
                slice("app/manual-1", "manual")
                        .endpoint("10.0.0.1")
                        .notReadyEndpoint("10.0.0.2")
                        .port("http", 18080),
                Drafts.pod("app/a").ips("10.0.0.1"));

        assertThat(mesh.pod("app/a").services()).isEmpty();
        var workload = mesh.workload(sliceUid("app/manual-1/10.0.0.1"));
        assertThat(workload.name()).isEqualTo("manual-1");
        assertThat(workload.networkMode()).isEqualTo(Workload.NetworkMode.HOST_NETWORK);
        assertThat(workload.type()).isEqualTo(Workload.Type.DEPLOYMENT);
        assertThat(workload.workloadName()).isEmpty();
        assertThat(workload.canonicalName()).isEmpty();
        assertThat(ports(workload, serviceName("app/manual"))).containsExactly("80>18080");
        assertThat(mesh.workload(sliceUid("app/manual-1/10.0.0.2")).health()).isEqualTo(Workload.Health.UNHEALTHY);
    }

    @Test
    void case14_givenKubernetesService_thenItsEndpointLeadsFrom443To6443() {
        mesh.put(
                service("default/kubernetes").vip("10.96.0.1").port("https", 443, 6443),
                slice("default/kubernetes", "kubernetes").endpoint("172.18.0.2").port("https", 6443));

        var workload = mesh.workload(sliceUid("default/kubernetes/172.18.0.2"));
        assertThat(ports(workload, serviceName("default/kubernetes"))).containsExactly("443>6443");
    }

    @Test
    void case15_givenSlicePortOfAnotherName_thenPortAbsentAndMembershipKept() {
        mesh.put(
                service("app/manual").port("http", 80, 8080),
                slice("app/manual-1", "manual").endpoint("10.0.0.1").port("web", 8080));

        var services = mesh.workload(sliceUid("app/manual-1/10.0.0.1")).services();
        assertThat(services).containsOnlyKeys(serviceName("app/manual"));
        assertThat(services.get(serviceName("app/manual"))).isEmpty();
    }

    @Test
    void case16_givenHostNamesOrNoServiceName_thenIgnored() {
        mesh.put(
                service("app/manual").port("http", 80, 8080),
                slice("app/names", "manual")
                        .type(AddressType.FQDN)
                        .endpoint("mf.example.com")
                        .port("http", 80),
                slice("app/unlabelled", "").endpoint("10.0.0.1").port("http", 80));

        assertThat(mesh.names()).containsExactly(serviceName("app/manual"));
    }

    @Test
    void givenSliceOfMissingOrAliasService_thenIgnoredUntilTheServiceComes() {
        mesh.put(
                service("app/alias").type(ServiceManifest.Type.EXTERNAL_NAME),
                slice("app/of-alias", "alias").endpoint("10.0.0.1").port("http", 80),
                slice("app/of-later", "later").endpoint("10.0.0.2").port("http", 80));
        assertThat(mesh.names()).isEmpty();

        mesh.put(service("app/later").port("http", 80, 80));

        assertThat(mesh.changed()).containsExactly(sliceUid("app/of-later/10.0.0.2"), serviceName("app/later"));
    }
}
