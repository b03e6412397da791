// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import static io.fathom.control.ambient.Drafts.endpoint;
import static io.fathom.control.ambient.Drafts.entry;
import static io.fathom.control.ambient.Drafts.namespace;
import static io.fathom.control.ambient.Drafts.pod;
import static io.fathom.control.ambient.Drafts.service;
import static io.fathom.control.ambient.Drafts.unready;
import static io.fathom.control.ambient.Drafts.vm;
import static io.fathom.control.ambient.Drafts.waypoint;
import static io.fathom.control.ambient.TestMesh.byHostname;
import static io.fathom.control.ambient.TestMesh.endpointUid;
import static io.fathom.control.ambient.TestMesh.key;
import static io.fathom.control.ambient.TestMesh.podUid;
import static io.fathom.control.ambient.TestMesh.vmUid;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import org.junit.jupiter.api.Test;

class WaypointUsersTest {
    private final TestMesh mesh = new TestMesh();

    @Test
    void case52_givenHostnameIpAndMixedAddresses_thenAllFindTheirServices() {
        mesh.put(
                unready("app/host").hostname("host.example.com"),
                unready("app/ip").ip("10.96.0.1"),
                unready("app/mixed").ip("10.96.0.2").hostname("mixed.example.com"),
                service("app/a").useWaypoint("host"),
                service("app/b").useWaypoint("ip"),
                service("app/c").useWaypoint("mixed"),
                entry("app/d", "d.example.com").address("10.0.0.1").useWaypoint("mixed"));

        assertThat(mesh.mesh().servicesOf(key("app", "host")))
                .extracting(Service::name)
                .containsExactly("a");
        assertThat(mesh.mesh().servicesOf(key("app", "ip")))
                .extracting(Service::name)
                .containsExactly("b");
        assertThat(mesh.mesh().servicesOf(key("app", "mixed")))
                .extracting(Service::name)
                .containsExactly("c", "d");
        assertThat(mesh.mesh().servicesOf(key("app", "nowhere"))).isEmpty();
    }

    @Test
    void case55_givenWorkloadsOfWaypoint_thenSortedByAgeThenByUid() {
        mesh.put(
                namespace("app").useWaypoint("wp"),
                waypoint("app/wp").serves("all"),
                pod("app/young").createdAt(30),
                pod("app/b").createdAt(20),
                pod("app/a").createdAt(20),
                vm("app/old", "10.0.0.1").createdAt(10),
                entry("app/se", "a.example.com")
                        .address("10.0.0.9")
                        .createdAt(25)
                        .endpoint(endpoint("10.1.0.1")));

        assertThat(mesh.mesh().workloadsOf(key("app", "wp")))
                .extracting(Workload::uid)
                .containsExactly(
                        vmUid("app/old"),
                        podUid("app/a"),
                        podUid("app/b"),
                        endpointUid("app/se/10.1.0.1"),
                        podUid("app/young"));
    }

    @Test
    void case56_whenWaypointOfServiceChanges_thenTheBatchNamesOldAndNewOne() {
        mesh.put(waypoint("app/one"), waypoint("app/two"), service("app/web").useWaypoint("one"));

        mesh.put(service("app/web").useWaypoint("two"));

        assertThat(WaypointUsers.touched(mesh.changes().getFirst()))
                .containsExactlyInAnyOrder(
                        byHostname("app", "one.app.svc.cluster.local").orElseThrow(),
                        byHostname("app", "two.app.svc.cluster.local").orElseThrow());
    }
}
