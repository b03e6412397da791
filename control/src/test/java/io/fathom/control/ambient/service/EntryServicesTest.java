// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.service;

import static io.fathom.control.ambient.Drafts.entry;
import static io.fathom.control.ambient.Drafts.meshConfig;
import static io.fathom.control.ambient.Drafts.namespace;
import static io.fathom.control.ambient.Drafts.service;
import static io.fathom.control.ambient.MeshConfigDraft.labelled;
import static io.fathom.control.ambient.TestMesh.endpointUid;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.Ids;
import io.fathom.control.ambient.Drafts;
import io.fathom.control.ambient.TestMesh;
import io.fathom.control.ambient.status.ObjectStatus;
import io.fathom.model.mesh.LoadBalancing;
import io.fathom.model.mesh.NetworkAddress;
import io.fathom.model.mesh.Service.Canonical;
import io.fathom.model.mesh.Service.Visibility;
import io.fathom.wire.kube.ConditionTypes;
import io.fathom.wire.kube.manifest.LabelSelector;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest.EntryVisibility.Level;
import io.fathom.wire.kube.networking.ServiceEntryManifest.Resolution;
import java.util.List;
import org.junit.jupiter.api.Test;

class EntryServicesTest {
    private final TestMesh mesh = new TestMesh();

    @Test
    void case32_givenBlocks_thenMaskedAndSingleAddressesHaveNoLength() {
        mesh.put(entry("app/se", "a.example.com")
                .address("10.0.0.5/24", "10.0.1.5/32", "fd00:98::5/64", "fd00:98:1::5/128"));

        assertThat(addresses("app/a.example.com"))
                .containsExactly("/10.0.0.0/24", "/10.0.1.5", "/fd00:98::/64", "/fd00:98:1::5");
    }

    @Test
    void givenOneUnparsableAddress_thenTheWholeEntryIsDroppedAndSaysSo() {
        mesh.put(
                entry("app/se", "a.example.com").address("10.0.0.1", "nonsense").endpoint("10.1.0.1"));

        assertThat(mesh.names()).isEmpty();
        assertThat(Ids.problem(mesh.mesh().cut(), mesh.mesh().problems(), Ids.of("ServiceEntry/app/se")))
                .hasValueSatisfying(problem -> assertThat(problem.message()).contains("nonsense"));
    }

    @Test
    void case33_givenNoAddresses_thenAutomaticOnesPerHostExceptWhereExcluded() {
        mesh.put(
                entry("app/a", "one.example.com", "two.example.com")
                        .resolution(Resolution.DNS)
                        .createdAt(1),
                entry("app/b", "own.example.com").address("10.0.0.1").createdAt(2),
                entry("app/c", "none.example.com").resolution(Resolution.NONE).createdAt(3),
                entry("app/d", "out.example.com")
                        .label("networking.istio.io/enable-autoallocate-ip", "false")
                        .createdAt(4),
                entry("app/e", "*.wild.example.com").resolution(Resolution.DNS).createdAt(5),
                entry("app/f", "*.dyn.example.com")
                        .resolution(Resolution.DYNAMIC_DNS)
                        .createdAt(6));

        assertThat(addresses("app/one.example.com")).containsExactly("/240.240.0.1", "/2001:2::1");
        assertThat(addresses("app/two.example.com")).containsExactly("/240.240.0.2", "/2001:2::2");
        assertThat(addresses("app/own.example.com")).containsExactly("/10.0.0.1");
        assertThat(addresses("app/none.example.com")).isEmpty();
        assertThat(addresses("app/out.example.com")).isEmpty();
        assertThat(addresses("app/*.wild.example.com")).isEmpty();
        assertThat(addresses("app/*.dyn.example.com")).containsExactly("/240.240.0.3", "/2001:2::3");
        assertThat(mesh.status("ServiceEntry/app/f").orElseThrow().addresses())
                .containsExactly(
                        new ObjectStatus.HostAddress("*.dyn.example.com", "240.240.0.3"),
                        new ObjectStatus.HostAddress("*.dyn.example.com", "2001:2::3"));
    }

    @Test
    void case34_givenTwoEntriesOfOneHostInOneNamespace_thenTheYoungerIsSilentUntilTheOlderGoes() {
        var older = entry("app/z", "a.example.com")
                .address("10.0.0.1")
                .endpoint("10.1.0.1")
                .createdAt(1);
        var younger = entry("app/a", "a.example.com")
                .address("10.0.0.2")
                .endpoint("10.1.0.2")
                .createdAt(2);
        mesh.put(younger, older);
        assertThat(addresses("app/a.example.com")).containsExactly("/10.0.0.1");
        assertThat(mesh.names()).containsExactly(endpointUid("app/z/10.1.0.1"), "app/a.example.com");

        mesh.remove(older);
        assertThat(addresses("app/a.example.com")).containsExactly("/10.0.0.2");
        assertThat(mesh.names()).containsExactly(endpointUid("app/a/10.1.0.2"), "app/a.example.com");
    }

    @Test
    void givenEqualAges_thenTheSmallerNameWinsWhateverCameFirst() {
        mesh.put(entry("app/b", "a.example.com").address("10.0.0.2"));
        mesh.put(entry("app/a", "a.example.com").address("10.0.0.1"));

        assertThat(mesh.service("app/a.example.com").name()).isEqualTo("a");
    }

    @Test
    void case35_givenOneHostInSeveralNamespaces_thenTheOldestIsCanonicalAndOnDeleteTheNext() {
        var first = entry("one/se", "a.example.com").address("10.0.0.1").createdAt(1);
        mesh.put(entry("two/se", "a.example.com").address("10.0.0.2").createdAt(2), first);
        assertThat(mesh.service("one/a.example.com").canonical()).isEqualTo(Canonical.YES);
        assertThat(mesh.service("two/a.example.com").canonical()).isEqualTo(Canonical.NO);

        mesh.remove(first);
        assertThat(mesh.service("two/a.example.com").canonical()).isEqualTo(Canonical.YES);
    }

    @Test
    void case36_givenServiceAndEntryOfOneHostname_thenServiceWinsAndEntryTakesOverOnDelete() {
        var host = "web.app.svc.cluster.local";
        var kube = service("app/web").vip("10.96.0.1");
        mesh.put(
                entry("app/se", host).address("10.0.0.1").endpoint("10.1.0.1").createdAt(1),
                entry("other/se", host).address("10.0.0.2").createdAt(1),
                kube);
        assertThat(addresses("app/" + host)).containsExactly("/10.96.0.1");
        assertThat(mesh.find(endpointUid("app/se/10.1.0.1"))).isEmpty();
        assertThat(mesh.service("other/" + host).canonical()).isEqualTo(Canonical.NO);

        mesh.remove(kube);
        assertThat(addresses("app/" + host)).containsExactly("/10.0.0.1");
        assertThat(mesh.find(endpointUid("app/se/10.1.0.1"))).isPresent();
        assertThat(mesh.service("app/" + host).canonical()).isEqualTo(Canonical.YES);
    }

    @Test
    void case37_givenVisibility_thenNamespaceIsNeverCanonicalNoneIsDroppedAndFirstPolicyWins() {
        mesh.put(
                meshConfig()
                        .visibility(Level.NAMESPACE, labelled("kind", "private"))
                        .visibility(Level.NONE, labelled("kind", "hidden"))
                        .visibility(Level.PUBLIC, labelled("kind", "hidden"))
                        .visibility(Level.PUBLIC),
                namespace("private").label("kind", "private"),
                namespace("hidden").label("kind", "hidden"),
                namespace("public"),
                entry("private/se", "a.example.com").address("10.0.0.1").createdAt(1),
                entry("hidden/se", "a.example.com").address("10.0.0.2").createdAt(2),
                entry("public/se", "a.example.com").address("10.0.0.3").createdAt(3));

        assertThat(mesh.service("private/a.example.com").canonical()).isEqualTo(Canonical.NO);
        assertThat(mesh.service("private/a.example.com").visibility()).isEqualTo(Visibility.NAMESPACE);
        assertThat(mesh.find("hidden/a.example.com")).isEmpty();
        assertThat(mesh.service("public/a.example.com").canonical()).isEqualTo(Canonical.YES);
        assertThat(mesh.condition("ServiceEntry/private/se", ConditionTypes.VISIBILITY_APPLIED))
                .isEqualTo("True/Namespace");
        assertThat(mesh.condition("ServiceEntry/public/se", ConditionTypes.VISIBILITY_APPLIED))
                .isEqualTo("True/Public");
        assertThat(mesh.status("ServiceEntry/hidden/se")).isEmpty();
    }

    @Test
    void case37_givenEmptySelector_thenItMatchesEveryNamespace() {
        mesh.put(
                meshConfig().visibility(Level.NONE, LabelSelector.EVERYTHING).visibility(Level.PUBLIC),
                namespace("app"),
                entry("app/se", "a.example.com").address("10.0.0.1"));

        assertThat(mesh.names()).isEmpty();
    }

    @Test
    void givenNoVisibilityConfigured_thenNoCondition() {
        mesh.put(entry("app/se", "a.example.com").address("10.0.0.1"));

        assertThat(mesh.status("ServiceEntry/app/se")).isEmpty();
        assertThat(mesh.service("app/a.example.com").visibility()).isEqualTo(Visibility.PUBLIC);
    }

    @Test
    void givenResolutionNone_thenPassthrough() {
        mesh.put(entry("app/se", "a.example.com").address("10.0.0.0/24").resolution(Resolution.NONE));

        assertThat(mesh.service("app/a.example.com").loadBalancing())
                .isEqualTo(new LoadBalancing(
                        List.of(), LoadBalancing.Mode.PASSTHROUGH, LoadBalancing.HealthPolicy.ALLOW_ALL));
    }

    @Test
    void givenWildcardOrRacingEntryWithoutWaypoint_thenWaypointMissing() {
        mesh.put(
                entry("app/wild", "*.example.com").resolution(Resolution.NONE),
                entry("app/race", "race.example.com")
                        .address("10.0.0.1")
                        .annotation("istio.io/connect-strategy", "RACE_FIRST_TCP_CONNECT"),
                Drafts.waypoint("app/wp"),
                entry("app/bound", "*.bound.example.com")
                        .resolution(Resolution.NONE)
                        .useWaypoint("wp"));

        assertThat(mesh.condition("ServiceEntry/app/wild", ConditionTypes.WAYPOINT_MISSING))
                .isEqualTo("True/NoWaypointForWildcardService");
        assertThat(mesh.condition("ServiceEntry/app/race", ConditionTypes.WAYPOINT_MISSING))
                .isEqualTo("True/NoWaypointForRacingConnectStrategy");
        assertThat(mesh.condition("ServiceEntry/app/bound", ConditionTypes.WAYPOINT_MISSING))
                .isEqualTo("-");
        assertThat(mesh.bound("ServiceEntry/app/bound")).isEqualTo("True/WaypointAccepted");
    }

    private List<String> addresses(String name) {
        return mesh.service(name).addresses().stream()
                .map(NetworkAddress::alias)
                .toList();
    }
}
