// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import static io.fathom.model.routing.Fixtures.ip;
import static io.fathom.model.routing.Fixtures.key;
import static io.fathom.model.routing.Fixtures.pod;
import static io.fathom.model.routing.Fixtures.service;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.mesh.Address;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import io.fathom.model.policy.Authorization.Scope;
import io.fathom.model.policy.Policies;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Cases 21 to 31 and 42 of the fact sheet.
final class MeshStoreTest {
    private final MeshStore store = new MeshStore(Optional.of("node1"));

    private void put(Address... addresses) {
        store.apply(MeshDelta.ofAddresses(List.of(addresses), List.of()));
    }

    private void remove(String... names) {
        store.apply(MeshDelta.ofAddresses(List.of(), List.of(names)));
    }

    private List<String> endpoints(String service) {
        return store.view().endpoints(key(service)).stream().map(Workload::name).toList();
    }

    private Optional<String> at(String ip, String namespace) {
        return store.view()
                .serviceAt("n1", ip(ip), namespace)
                .map(service -> service.namespace() + "/" + service.name());
    }

    @Test
    void givenAWorkload_thenItComesBackAsItWasPut() {
        var workload = pod("p", "10.0.0.2", "2001:db8::2")
                .behind("web", "80:8080")
                .policies("ns1/x")
                .locality("r/z/s")
                .capacity(7)
                .build();
        var entry = pod("other-name", "10.0.0.3")
                .uid("c1/networking.istio.io/WorkloadEntry/ns1/e")
                .build();
        put(workload, entry);
        assertThat(store.view().workload(workload.uid())).contains(workload);
        assertThat(store.view().workload(entry.uid())).contains(entry);
        assertThat(store.view().workloadAt("n1", ip("2001:db8::2"))).contains(workload);
        assertThat(store.view().workloadAt("n2", ip("10.0.0.2"))).isEmpty();
    }

    @Test
    void case21_givenAWorkloadBeforeItsService_thenStagedThenAttached() {
        put(pod("p", "10.0.0.2").behind("web").build());
        assertThat(store.view().stagedServices()).containsExactly(key("web"));
        assertThat(store.view().service(key("web"))).isEmpty();
        put(service("web", "10.1.0.1", "10.1.0.2").build());
        assertThat(store.view().stagedServices()).isEmpty();
        assertThat(endpoints("web")).containsExactly("p");
        put(service("web", "10.1.0.2").build());
        assertThat(endpoints("web")).containsExactly("p");
        assertThat(at("10.1.0.1", "ns1")).isEmpty();
        assertThat(at("10.1.0.2", "ns1")).contains("ns1/web");
    }

    @Test
    void case22_givenAnUpdateWithoutTheServiceOrUnhealthy_thenTheEndpointIsGone() {
        put(service("web").build(), pod("p", "10.0.0.2").behind("web").build());
        put(pod("p", "10.0.0.2").behind("web").unhealthy().build());
        assertThat(endpoints("web")).isEmpty();
        put(pod("p", "10.0.0.2").behind("web").build());
        assertThat(endpoints("web")).containsExactly("p");
        put(pod("p", "10.0.0.2").build());
        assertThat(endpoints("web")).isEmpty();
    }

    @Test
    void case23_givenAPodAndAnEntryOnOneAddress_thenThePodWinsAndRemovalFallsBack() {
        var entry = pod("e", "10.0.0.2")
                .uid("c1/networking.istio.io/WorkloadEntry/ns1/e")
                .build();
        var plain = pod("plain", "10.0.0.2").plain().build();
        var best = pod("best", "10.0.0.2").build();
        put(best, entry, plain);
        assertThat(store.view().workloadAt("n1", ip("10.0.0.2"))).contains(best);
        remove(best.uid());
        assertThat(store.view().workloadAt("n1", ip("10.0.0.2"))).contains(plain);
        remove(plain.uid());
        assertThat(store.view().workloadAt("n1", ip("10.0.0.2"))).contains(entry);
        remove(entry.uid());
        assertThat(store.view().workloadAt("n1", ip("10.0.0.2"))).isEmpty();
    }

    @Test
    void case25_givenFiftyWorkloadsAndTheServiceMidBatch_thenFiftyEndpoints() {
        var batch = new ArrayList<Address>();
        for (int i = 0; i < 50; i++) {
            batch.add(pod("p" + i, "10.0.0." + i).behind("web").build());
        }
        batch.add(25, service("web").build());
        store.apply(MeshDelta.ofAddresses(batch, List.of()));
        assertThat(endpoints("web")).hasSize(50);
    }

    @Test
    void case27_givenANameBothRemovedAndPut_thenTheNewOneWins() {
        put(service("web").build(), pod("p", "10.0.0.2").behind("web").build());
        var again = pod("p", "10.0.0.9").behind("web").build();
        store.apply(MeshDelta.ofAddresses(List.of(again), List.of(again.uid())));
        assertThat(store.view().endpoints(key("web"))).containsExactly(again);
        var sick = pod("p", "10.0.0.9").behind("web").unhealthy().build();
        store.apply(MeshDelta.ofAddresses(List.of(sick), List.of(sick.uid())));
        assertThat(endpoints("web")).isEmpty();
    }

    @Test
    void case28_givenStagedWorkloadsAreRemoved_thenTheStageVanishes() {
        put(pod("p", "10.0.0.2").behind("web").build());
        remove("c1//Pod/ns1/p");
        assertThat(store.view().stagedServices()).isEmpty();
        put(service("web").build());
        assertThat(endpoints("web")).isEmpty();
    }

    @Test
    void case29_givenASharedAddress_thenTheClientsNamespaceThenCanonical() {
        put(
                service("a", "10.1.0.1").namespace("ns1").build(),
                service("b", "10.1.0.1").namespace("ns2").build(),
                service("c", "10.1.0.1").namespace("ns3").canonical().build());
        assertThat(at("10.1.0.1", "ns1")).contains("ns1/a");
        assertThat(at("10.1.0.1", "ns2")).contains("ns2/b");
        assertThat(at("10.1.0.1", "elsewhere")).contains("ns3/c");
    }

    @Test
    void weaknessB_givenTwoServicesOfOneNamespaceOnOneAddress_thenRemovingOneKeepsTheOther() {
        put(service("a", "10.1.0.1").build(), service("b", "10.1.0.1").build());
        remove(key("a"));
        assertThat(at("10.1.0.1", "ns1")).contains("ns1/b");
    }

    @Test
    void case30_givenHiddenServices_thenOnlyTheirNamespaceSeesThem() {
        put(service("hidden", "10.1.0.1").hidden().build());
        assertThat(at("10.1.0.1", "ns2")).isEmpty();
        assertThat(at("10.1.0.1", "ns1")).contains("ns1/hidden");
        assertThat(store.view().serviceAt("n1", ip("10.1.0.1"))).isPresent();
        assertThat(store.view().serviceNamed("hidden.example", "ns2")).isEmpty();
        put(service("range", "10.1.0.0/16").namespace("ns3").build());
        assertThat(at("10.1.0.1", "ns2")).contains("ns3/range");
    }

    @Test
    void case31_givenRanges_thenNamespaceBeatsLengthBeatsCanonical_andExactBeatsAll() {
        put(
                service("wide", "10.0.0.0/8").namespace("ns1").build(),
                service("narrow", "10.1.0.0/16").namespace("ns2").build(),
                service("canonical", "10.1.0.0/16").namespace("ns3").canonical().build(),
                service("exact", "10.1.2.3").namespace("ns4").build(),
                service("six", "::/0").namespace("ns5").build(),
                service("far", "10.1.0.0/24").network("n2").namespace("ns6").build());
        assertThat(at("10.1.0.1", "ns1")).contains("ns1/wide");
        assertThat(at("10.1.0.1", "ns2")).contains("ns2/narrow");
        assertThat(at("10.1.0.1", "elsewhere")).contains("ns3/canonical");
        assertThat(at("10.2.0.1", "elsewhere")).contains("ns1/wide");
        assertThat(at("10.1.2.3", "ns1")).contains("ns4/exact");
        assertThat(at("2001:db8::1", "elsewhere")).contains("ns5/six");
        assertThat(at("11.0.0.1", "elsewhere")).isEmpty();
        remove("ns3/canonical.example");
        assertThat(at("10.1.0.1", "elsewhere")).contains("ns2/narrow");
        remove("ns2/narrow.example", "ns1/wide.example");
        assertThat(at("10.1.0.1", "elsewhere")).isEmpty();
    }

    @Test
    void weaknessA_givenEndpointsOfARangeChange_thenTheRangeHasOnlyTheNewOnes() {
        put(service("range", "10.1.0.0/16").build());
        for (int i = 0; i < 5; i++) {
            put(pod("p", "10.0.0." + i).behind("range").build());
        }
        var found =
                store.view().serviceAt("n1", ip("10.1.9.9")).map(Service::key).orElseThrow();
        assertThat(store.view().endpoints(found)).hasSize(1);
    }

    @Test
    void givenUnknownNames_thenTheyAreReportedAndNothingChanges() {
        put(pod("p", "10.0.0.2").build());
        var applied = store.apply(MeshDelta.ofAddresses(List.of(), List.of("nobody", "ns1/nobody.example")));
        assertThat(applied.unknown()).containsExactly("nobody", "ns1/nobody.example");
        assertThat(applied.after()).isSameAs(applied.before());
        var again =
                store.apply(MeshDelta.ofAddresses(List.of(pod("p", "10.0.0.2").build()), List.of()));
        assertThat(again.after()).isSameAs(again.before());
    }

    @Test
    void givenPodsOfThisNode_thenTheyAreFoundByWhatTheySayOfThemselves() {
        put(
                pod("p", "10.0.0.2").account("a").build(),
                pod("q", "10.0.0.3").node("node2").account("a").build());
        assertThat(store.view().localWorkload("ns1", "p", "a")).isPresent();
        assertThat(store.view().localWorkload("ns1", "p", "b")).isEmpty();
        assertThat(store.view().localWorkload("ns1", "q", "a")).isEmpty();
    }

    @Test
    void case42_givenThePolicyChangesScope_thenItLeavesItsNamespace() {
        var workload = pod("p", "10.0.0.2").policies("ns1/d", "ns1/gone").build();
        var other = pod("q", "10.0.0.3").build();
        var policy = Policies.deny("d", List.of(Policies.group()));
        store.apply(MeshDelta.ofPolicies(List.of(policy), List.of()));
        assertThat(store.view().policies().applicable(other)).hasSize(1);
        assertThat(store.view().policies().applicable(workload)).hasSize(1);
        store.apply(MeshDelta.ofPolicies(List.of(Policies.scoped(Scope.WORKLOAD_SELECTOR, policy)), List.of()));
        assertThat(store.view().policies().applicable(other)).isEmpty();
        assertThat(store.view().policies().applicable(workload)).hasSize(1);
        assertThat(store.view().policies().unknown(workload)).containsExactly("ns1/gone");
        store.apply(MeshDelta.ofPolicies(List.of(Policies.scoped(Scope.GLOBAL, policy)), List.of()));
        assertThat(store.view()
                        .policies()
                        .applicable(pod("r", "10.0.0.4").namespace("ns9").build()))
                .hasSize(1);
        store.apply(MeshDelta.ofPolicies(List.of(), List.of("ns1/d")));
        assertThat(store.view().policies().applicable(workload)).isEmpty();
    }
}
