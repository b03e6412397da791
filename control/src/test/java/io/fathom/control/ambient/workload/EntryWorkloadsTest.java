// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.workload;

import static io.fathom.control.ambient.Drafts.endpoint;
import static io.fathom.control.ambient.Drafts.entry;
import static io.fathom.control.ambient.Drafts.network;
import static io.fathom.control.ambient.Drafts.pod;
import static io.fathom.control.ambient.Drafts.remoteGateway;
import static io.fathom.control.ambient.Drafts.service;
import static io.fathom.control.ambient.Drafts.vm;
import static io.fathom.control.ambient.TestMesh.byHostname;
import static io.fathom.control.ambient.TestMesh.byIp;
import static io.fathom.control.ambient.TestMesh.podUid;
import static io.fathom.control.ambient.TestMesh.ports;
import static io.fathom.control.ambient.TestMesh.serviceName;
import static io.fathom.control.ambient.TestMesh.vmUid;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.ambient.TestMesh;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Feature;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.Workload;
import org.junit.jupiter.api.Test;

class EntryWorkloadsTest {
    private final TestMesh mesh = new TestMesh();

    @Test
    void case19_givenTwoEntriesWithoutAddress_thenBothAreThereByUidOnly() {
        mesh.put(vm("app/a", ""), vm("app/b", ""));

        assertThat(mesh.names()).containsExactly(vmUid("app/a"), vmUid("app/b"));
        assertThat(mesh.vm("app/a").aliases()).isEmpty();
        assertThat(mesh.vm("app/a").hostname()).isEmpty();
    }

    @Test
    void case20_givenLabelsInSpecOnly_thenSelectedAndMetadataWinWhereBothSpeak() {
        mesh.put(
                service("app/db").selects("app", "db").port("pg", 5432, 5432),
                vm("app/a", endpoint("10.0.0.1").label("app", "db")),
                vm("app/b", endpoint("10.0.0.2").label("app", "db")).label("app", "other"));

        assertThat(mesh.vm("app/a").services()).containsOnlyKeys(serviceName("app/db"));
        assertThat(mesh.vm("app/a").canonicalName()).isEqualTo("db");
        assertThat(mesh.vm("app/b").services()).isEmpty();
    }

    @Test
    void case21_givenEntryOnNetworkWithGateway_thenNetworkGatewayByIpThenByHostname() {
        mesh.put(
                network("home"),
                vm("app/a", endpoint("10.0.0.1").network("east")),
                remoteGateway("istio-system/east", "east").ip("203.0.113.1"));
        assertThat(mesh.vm("app/a").network()).isEqualTo("east");
        assertThat(mesh.vm("app/a").networkGateway()).isEqualTo(byIp("east", "203.0.113.1"));

        mesh.put(remoteGateway("istio-system/east", "east").hostname("east.example.com"));
        assertThat(mesh.vm("app/a").networkGateway()).isEqualTo(byHostname("istio-system", "east.example.com"));
        assertThat(mesh.changed())
                .containsExactly(
                        vmUid("app/a"),
                        "NetworkGateway/east/203.0.113.1/15008",
                        "NetworkGateway/east/east.example.com/15008");
    }

    @Test
    void case22_whenOnlyTheAccountChanges_thenPushed() {
        mesh.put(vm("app/a", endpoint("10.0.0.1").account("old")), vm("app/b", "10.0.0.2"));

        mesh.put(vm("app/a", endpoint("10.0.0.1").account("new")), vm("app/b", "10.0.0.2"));

        assertThat(mesh.changed()).containsExactly(vmUid("app/a"));
        assertThat(mesh.vm("app/a").serviceAccount()).isEqualTo("new");
    }

    @Test
    void case26_givenPodAndEntryOnOneIp_thenBothCarryTheAlias() {
        mesh.put(pod("app/p").ips("10.0.0.1"), vm("app/v", "10.0.0.1"));

        assertThat(mesh.find(podUid("app/p")).orElseThrow().aliases())
                .isEqualTo(mesh.find(vmUid("app/v")).orElseThrow().aliases());
    }

    @Test
    void case27_givenServicesDoNotSelectEntries_thenServiceEntriesStillDo() {
        var without = new TestMesh(AmbientConfig.defaults().without(Feature.SERVICES_SELECT_ENTRIES));

        without.put(
                service("app/db").selects("app", "db").port("pg", 5432, 5432),
                entry("app/se", "db.example.com").selects("app", "db").port("pg", 5432, "TCP"),
                vm("app/a", "10.0.0.1").label("app", "db"));

        assertThat(without.vm("app/a").services()).containsOnlyKeys("app/db.example.com");
    }

    @Test
    void givenEntryThatIsNotHealthy_thenUnhealthy() {
        mesh.put(vm("app/a", "10.0.0.1").unhealthy(), vm("app/b", "10.0.0.2"));

        assertThat(mesh.vm("app/a").health()).isEqualTo(Workload.Health.UNHEALTHY);
        assertThat(mesh.vm("app/b").health()).isEqualTo(Workload.Health.HEALTHY);
    }

    @Test
    void givenOwnPorts_thenTheyReplaceNumbersAndMustKnowNames() {
        mesh.put(
                service("app/db")
                        .selects("app", "db")
                        .port("pg", 5432, 5432)
                        .namedPort("known", 80, "http")
                        .namedPort("unknown", 81, "nothing"),
                vm("app/a", endpoint("10.0.0.1").port("pg", 15432).port("http", 8080))
                        .label("app", "db"));

        assertThat(ports(mesh.vm("app/a"), serviceName("app/db"))).containsExactly("5432>15432", "80>8080");
    }

    @Test
    void givenHostNameWeightLocalityAndGroup_thenEachHasItsField() {
        mesh.put(vm("app/a", endpoint("vm.example.com").weight(7).locality("us/us-1"))
                .annotation("istio.io/autoRegistrationGroup", "group"));

        var workload = mesh.vm("app/a");
        assertThat(workload.addresses()).isEmpty();
        assertThat(workload.hostname()).isEqualTo("vm.example.com");
        assertThat(workload.capacity()).isEqualTo(7);
        assertThat(workload.locality()).isEqualTo(new Locality("us", "us-1", ""));
        assertThat(workload.workloadName()).isEqualTo("group");
    }
}
