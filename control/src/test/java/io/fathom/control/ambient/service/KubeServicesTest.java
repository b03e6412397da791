// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.service;

import static io.fathom.control.ambient.Drafts.namespace;
import static io.fathom.control.ambient.Drafts.pod;
import static io.fathom.control.ambient.Drafts.service;
import static io.fathom.control.ambient.TestMesh.podUid;
import static io.fathom.control.ambient.TestMesh.serviceName;
import static io.fathom.control.ambient.TestMesh.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.ambient.TestMesh;
import io.fathom.model.mesh.LoadBalancing;
import io.fathom.model.mesh.LoadBalancing.HealthPolicy;
import io.fathom.model.mesh.LoadBalancing.Mode;
import io.fathom.model.mesh.LoadBalancing.Scope;
import io.fathom.model.mesh.Service;
import io.fathom.wire.kube.core.ServiceManifest;
import org.junit.jupiter.api.Test;

class KubeServicesTest {
    private static final String ANNOTATION = "networking.istio.io/traffic-distribution";

    private final TestMesh mesh = new TestMesh();

    @Test
    void case28_givenHeadlessService_thenNoAddressesButEndpoints() {
        mesh.put(
                service("app/db").selects("app", "db").port("pg", 5432, 5432),
                pod("app/db-0").label("app", "db"));

        assertThat(mesh.kubeService("app/db").addresses()).isEmpty();
        assertThat(mesh.pod("app/db-0").services()).containsOnlyKeys(serviceName("app/db"));
    }

    @Test
    void case29_givenPublishNotReadyAddresses_thenAllowAllOnThisServiceOnly() {
        mesh.put(service("app/a").publishNotReady(), service("app/b"));

        assertThat(mesh.kubeService("app/a").loadBalancing().healthPolicy()).isEqualTo(HealthPolicy.ALLOW_ALL);
        assertThat(mesh.kubeService("app/a").loadBalancing().mode()).isEqualTo(Mode.UNSPECIFIED);
        assertThat(mesh.kubeService("app/b").loadBalancing()).isEqualTo(LoadBalancing.NONE);
    }

    @Test
    void case30_givenLocalTrafficPolicy_thenItBeatsTheDistribution() {
        mesh.put(
                namespace("app").annotation(ANNOTATION, "PreferClose"),
                service("app/a").localTraffic().distribution("PreferSameZone"));

        var balancing = mesh.kubeService("app/a").loadBalancing();
        assertThat(balancing.mode()).isEqualTo(Mode.STRICT);
        assertThat(balancing.preference()).containsExactly(Scope.NODE);
    }

    @Test
    void case31_givenAnnotationOfNamespace_thenInheritedOverriddenAndUnknownMeansNone() {
        mesh.put(
                namespace("app").annotation(ANNOTATION, "PreferClose"),
                service("app/inherits"),
                service("app/own").annotation(ANNOTATION, "prefersamenode"),
                service("app/unknown").annotation(ANNOTATION, "Nearest"),
                service("app/empty").annotation(ANNOTATION, ""),
                service("app/spec").annotation(ANNOTATION, "PreferClose").distribution("PreferSameNode"));

        assertThat(mesh.kubeService("app/inherits").loadBalancing().preference())
                .containsExactly(Scope.NETWORK, Scope.REGION, Scope.ZONE);
        assertThat(mesh.kubeService("app/own").loadBalancing().preference())
                .containsExactly(Scope.NETWORK, Scope.REGION, Scope.ZONE, Scope.SUBZONE, Scope.NODE);
        assertThat(mesh.kubeService("app/unknown").loadBalancing()).isEqualTo(LoadBalancing.NONE);
        assertThat(mesh.kubeService("app/empty").loadBalancing().mode()).isEqualTo(Mode.FAILOVER);
        assertThat(mesh.kubeService("app/spec").loadBalancing().preference()).contains(Scope.NODE);
    }

    @Test
    void case38_whenSelectingServiceComes_thenExactlyServiceAndSelectedPodsArePushed() {
        mesh.put(
                pod("app/a").label("app", "web"),
                pod("app/b").label("app", "web"),
                pod("app/c").label("app", "x"));

        mesh.put(service("app/web").selects("app", "web").port("http", 80, 80));

        assertThat(mesh.changed()).containsExactly(podUid("app/a"), podUid("app/b"), serviceName("app/web"));
    }

    @Test
    void case38_whenSelectorNarrows_thenOnlyThePodsThatLeftArePushed() {
        mesh.put(
                service("app/web").selects("app", "web").port("http", 80, 80),
                pod("app/a").label("app", "web").label("tier", "1"),
                pod("app/b").label("app", "web"));

        mesh.put(service("app/web").selects("tier", "1").port("http", 80, 80));

        assertThat(mesh.changed()).containsExactly(podUid("app/b"));
    }

    @Test
    void case38_whenServiceGoes_thenServiceAndMembersArePushed() {
        var web = service("app/web").selects("app", "web").port("http", 80, 80);
        mesh.put(web, pod("app/a").label("app", "web"), pod("app/b").label("app", "x"));

        mesh.remove(web);

        assertThat(mesh.changed()).containsExactly(podUid("app/a"), serviceName("app/web"));
        assertThat(mesh.find(serviceName("app/web"))).isEmpty();
    }

    @Test
    void case122_whenServiceChangesWithoutEffectOnWorkloads_thenTheyAreNotResent() {
        mesh.put(
                service("app/web").selects("app", "web").port("http", 80, 80).vip("10.96.0.1"),
                pod("app/a").label("app", "web"));

        mesh.put(service("app/web")
                .selects("app", "web")
                .port("http", 80, 80)
                .vip("10.96.0.2")
                .annotation(ANNOTATION, "PreferClose"));

        assertThat(mesh.changed()).containsExactly(serviceName("app/web"));
    }

    @Test
    void givenExternalName_thenNoService() {
        mesh.put(service("app/alias").type(ServiceManifest.Type.EXTERNAL_NAME));

        assertThat(mesh.names()).isEmpty();
    }

    @Test
    void givenPortsAndFamilies_thenNamedTargetsAreZeroAndFamiliesCount() {
        mesh.put(
                service("app/a").vip("10.96.0.1").port("http", 80, 8080).namedPort("admin", 9000, "admin"),
                service("app/b").vip("fd00::1"),
                service("app/c").vip("fd00::2").vip("10.96.0.2"),
                service("app/d"));

        assertThat(text(mesh.kubeService("app/a").ports())).containsExactly("80>8080", "9000>0");
        assertThat(mesh.kubeService("app/a").ipFamilies()).isEqualTo(Service.IpFamilies.IPV4_ONLY);
        assertThat(mesh.kubeService("app/b").ipFamilies()).isEqualTo(Service.IpFamilies.IPV6_ONLY);
        assertThat(mesh.kubeService("app/c").ipFamilies()).isEqualTo(Service.IpFamilies.DUAL);
        assertThat(mesh.kubeService("app/d").ipFamilies()).isEqualTo(Service.IpFamilies.AUTOMATIC);
        assertThat(mesh.kubeService("app/d").canonical()).isEqualTo(Service.Canonical.YES);
    }
}
