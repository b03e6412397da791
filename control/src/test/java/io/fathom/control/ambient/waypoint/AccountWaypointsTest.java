// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.waypoint;

import static io.fathom.control.ambient.Drafts.endpoint;
import static io.fathom.control.ambient.Drafts.entry;
import static io.fathom.control.ambient.Drafts.gatewayClass;
import static io.fathom.control.ambient.Drafts.namespace;
import static io.fathom.control.ambient.Drafts.pod;
import static io.fathom.control.ambient.Drafts.service;
import static io.fathom.control.ambient.Drafts.slice;
import static io.fathom.control.ambient.Drafts.unready;
import static io.fathom.control.ambient.Drafts.vm;
import static io.fathom.control.ambient.Drafts.waypoint;
import static io.fathom.control.ambient.TestMesh.endpointUid;
import static io.fathom.control.ambient.TestMesh.podUid;
import static io.fathom.control.ambient.TestMesh.serviceName;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.Ids;
import io.fathom.control.ambient.Draft;
import io.fathom.control.ambient.GatewayDraft;
import io.fathom.control.ambient.PodDraft;
import io.fathom.control.ambient.ServiceDraft;
import io.fathom.control.ambient.TestMesh;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Feature;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.GatewayAddress.GatewayDestination;
import io.fathom.wire.kube.core.PodManifest.Phase;
import io.fathom.wire.kube.gateway.GatewayManifest.AllowedRoutes.From;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Waypoints for a single service account. Unless a test says otherwise, `app/guard` serves account `pay`, a pod and
/// the Service that selects it have the same name, and so has the account of that pod.
class AccountWaypointsTest {
    private static final String CANARY = "istio.io/use-waypoint-canary";

    private final TestMesh mesh = new TestMesh();

    @Test
    void givenWaypointForAccount_thenItServesPodsOfTheAccountAndServicesThatHaveOne() {
        mesh.put(guard(), podOf("pay"), serviceOf("pay"), podOf("web"), serviceOf("web"), service("app/empty"));

        assertThat(ofPod("pay")).isEqualTo("guard");
        assertThat(ofService("pay")).isEqualTo("guard");
        assertThat(mesh.bound("Service/app/pay")).isEqualTo("True/WaypointAccepted");
        assertThat(mesh.message("Service/app/pay")).contains("Gateway app/guard");
        assertThat(ofPod("web")).isEqualTo("-");
        assertThat(ofService("web")).isEqualTo("-");
        assertThat(mesh.bound("Service/app/web")).isEqualTo("-");
        assertThat(ofService("empty")).isEqualTo("-");
    }

    @Test
    void givenAccountOfThatNameElsewhere_thenItIsAnother() {
        mesh.put(guard(), pod("other/pay").account("pay"), service("other/pay").selects("app", "pay"));

        assertThat(name(mesh.pod("other/pay").waypoint())).isEqualTo("-");
        assertThat(name(mesh.kubeService("other/pay").waypoint())).isEqualTo("-");
    }

    @ParameterizedTest(name = "given waypoint-for {0}, then service: {1}, pod: {2}")
    @CsvSource({"service,guard,ns", "workload,ns,guard", "all,guard,guard", "none,ns,ns"})
    void givenKindsServed_thenTheNamespaceHasTheOthers(String serves, String ofService, String ofPod) {
        mesh.put(
                namespace("app").useWaypoint("ns"),
                waypoint("app/ns").serves("all"),
                guard().serves(serves),
                podOf("pay"),
                serviceOf("pay"));

        assertThat(ofService("pay")).isEqualTo(ofService);
        assertThat(ofPod("pay")).isEqualTo(ofPod);
    }

    @Test
    void givenKindsServedByTheClass_thenTheyCount() {
        mesh.put(
                gatewayClass("mine", "istio.io/mesh-controller").label("istio.io/waypoint-for", "service"),
                guard().ofClass("mine"),
                podOf("pay"),
                serviceOf("pay"));

        assertThat(ofService("pay")).isEqualTo("guard");
        assertThat(ofPod("pay")).isEqualTo("-");
    }

    @ParameterizedTest(name = "given label {0} of the object and {1} of the namespace, then {2}")
    @CsvSource({
        "-,-,guard",
        "-,ns,guard",
        "-,none,guard",
        "-,guard,guard",
        "ns,-,ns",
        "none,ns,-",
        "none,-,-",
        "guard,ns,guard"
    })
    void givenLabels_thenTheOwnBeatsTheAccountAndTheAccountBeatsTheNamespace(
            String own, String inherited, String expected) {
        var namespace = namespace("app");
        var pod = podOf("pay");
        var service = serviceOf("pay");
        var vm = vm("app/pay", endpoint("10.0.0.9").account("pay"));
        for (var object : List.of(pod, service, vm)) {
            label(object, own);
        }
        label(namespace, inherited);
        mesh.put(namespace, waypoint("app/ns").serves("all"), guard(), pod, service, vm);

        assertThat(ofPod("pay")).isEqualTo(expected);
        assertThat(ofService("pay")).isEqualTo(expected);
        assertThat(name(mesh.vm("app/pay").waypoint())).isEqualTo(expected);
    }

    @Test
    void givenLabelForTheWaypointOfAnotherAccount_thenRefusedWithConditionOrProblem() {
        mesh.put(
                guard(),
                podOf("web").useWaypoint("guard"),
                serviceOf("web").useWaypoint("guard"),
                service("other/far").useWaypoint("guard").label("istio.io/use-waypoint-namespace", "app"),
                vm("app/vm", endpoint("10.0.0.9").account("web")).useWaypoint("guard"));

        assertThat(ofPod("web")).isEqualTo("-");
        assertThat(problem("Pod/app/web")).contains("istio.io/for-service-account", "app/guard", "AttachmentDenied");
        assertThat(ofService("web")).isEqualTo("-");
        assertThat(mesh.bound("Service/app/web")).isEqualTo("False/AttachmentDenied");
        assertThat(mesh.message("Service/app/web")).contains("service account pay", "istio.io/for-service-account");
        assertThat(mesh.bound("Service/other/far")).isEqualTo("False/AttachmentDenied");
        assertThat(mesh.bound("WorkloadEntry/app/vm")).isEqualTo("False/AttachmentDenied");
    }

    @Test
    void givenGatewayThatAdmitsOtherNamespaces_thenStillOnlyTheAccountOfItsOwn() {
        mesh.put(
                guard().allows(From.ALL),
                pod("other/pay").account("pay").label("app", "pay"),
                service("other/pay")
                        .selects("app", "pay")
                        .useWaypoint("guard")
                        .label("istio.io/use-waypoint-namespace", "app"));

        assertThat(mesh.message("Service/other/pay")).contains("service account pay");
    }

    @Test
    void givenNamespaceLabelForIt_thenItIsNotTheWaypointOfTheOthers() {
        mesh.put(
                namespace("app").useWaypoint("guard"),
                guard(),
                podOf("pay"),
                serviceOf("pay"),
                podOf("web"),
                serviceOf("web"),
                vm("app/vm", "10.0.0.9"));

        assertThat(ofPod("pay")).isEqualTo("guard");
        assertThat(ofService("pay")).isEqualTo("guard");
        assertThat(ofPod("web")).isEqualTo("-");
        assertThat(ofService("web")).isEqualTo("-");
        assertThat(mesh.bound("Service/app/web")).isEqualTo("False/AttachmentDenied");
        assertThat(mesh.bound("WorkloadEntry/app/vm")).isEqualTo("-");
        assertThat(mesh.mesh().cut().of(mesh.mesh().problems()).isEmpty()).isTrue();
    }

    @ParameterizedTest(name = "given a created at {0} and b at {1}, then {2}")
    @CsvSource({"1,2,a", "2,1,b", "1,1,a"})
    void givenTwoForOneAccount_thenTheOldestAndOfEquallyOldOnesTheSmallestName(long a, long b, String expected) {
        mesh.put(
                waypoint("app/b").forAccount("pay").createdAt(b),
                waypoint("app/a").forAccount("pay").createdAt(a),
                podOf("pay"),
                serviceOf("pay"));

        assertThat(ofPod("pay")).isEqualTo(expected);
        assertThat(ofService("pay")).isEqualTo(expected);
    }

    @Test
    void givenTwoForOneAccountThatServeDifferentKinds_thenEachServesItsOwn() {
        mesh.put(
                waypoint("app/a").forAccount("pay").serves("workload"),
                waypoint("app/b").forAccount("pay").serves("service"),
                podOf("pay"),
                serviceOf("pay"));

        assertThat(ofPod("pay")).isEqualTo("a");
        assertThat(ofService("pay")).isEqualTo("b");
    }

    @ParameterizedTest(name = "given guard created at {0} and other at {1}, then the service has {2}")
    @CsvSource({"1,2,guard", "2,1,other", "1,1,guard"})
    void givenServiceWithPodsOfTwoAccounts_thenItHasTheOldestWaypointOfThem(long guard, long other, String expected) {
        mesh.put(
                guard().createdAt(guard),
                waypoint("app/other").forAccount("web").createdAt(other),
                pod("app/one").account("web").label("app", "both"),
                pod("app/two").account("pay").label("app", "both"),
                pod("app/three").account("nobody").label("app", "both"),
                serviceOf("both"));

        assertThat(ofService("both")).isEqualTo(expected);
        assertThat(ofPod("one")).isEqualTo("other");
        assertThat(ofPod("two")).isEqualTo("guard");
        assertThat(ofPod("three")).isEqualTo("-");
    }

    @Test
    void givenNotReady_thenTheNextOneOrTheNamespaceStaysAndElseItIsSaid() {
        mesh.put(unready("app/guard").forAccount("pay"), podOf("pay"), serviceOf("pay"));
        assertThat(ofService("pay")).isEqualTo("-");
        assertThat(mesh.bound("Service/app/pay")).isEqualTo("False/WaypointIsNotReady");

        mesh.put(namespace("app").useWaypoint("ns"), waypoint("app/ns").serves("all"));
        assertThat(ofService("pay")).isEqualTo("ns");
        assertThat(ofPod("pay")).isEqualTo("ns");

        mesh.put(waypoint("app/younger").forAccount("pay").createdAt(2_000));
        assertThat(ofService("pay")).isEqualTo("younger");

        mesh.put(guard());
        assertThat(ofService("pay")).isEqualTo("guard");
        assertThat(ofPod("pay")).isEqualTo("guard");
    }

    @Test
    void givenPodsOfGateways_thenTheyHaveNoneAndBringNoneToServices() {
        mesh.put(
                guard(),
                service("app/guard").selects("app", "envoy"),
                pod("app/by-service").account("pay").label("app", "envoy").label("role", "edge"),
                pod("app/by-label")
                        .account("pay")
                        .label("gateway.networking.k8s.io/gateway-name", "guard")
                        .label("role", "edge"),
                service("app/edge").selects("role", "edge"));

        assertThat(ofService("guard")).isEqualTo("-");
        assertThat(ofPod("by-service")).isEqualTo("-");
        assertThat(ofPod("by-label")).isEqualTo("-");
        assertThat(ofService("edge")).isEqualTo("-");
    }

    @Test
    void givenIngressGatewayWithTheAnnotation_thenNothing() {
        mesh.put(guard().ofClass("istio"), podOf("pay"), serviceOf("pay"));

        assertThat(ofPod("pay")).isEqualTo("-");
        assertThat(mesh.bound("Service/app/pay")).isEqualTo("-");
    }

    @Test
    void givenListenerForNobody_thenRefused() {
        mesh.put(guard().allows(From.NONE), podOf("pay"), serviceOf("pay"));

        assertThat(ofPod("pay")).isEqualTo("-");
        assertThat(mesh.bound("Service/app/pay")).isEqualTo("False/AttachmentDenied");
    }

    @Test
    void givenNoSuchPod_thenNothingAndNoProblem() {
        mesh.put(waypoint("app/gone").forAccount("gone"), podOf("pay"), serviceOf("pay"));

        assertThat(ofPod("pay")).isEqualTo("-");
        assertThat(mesh.mesh().cut().of(mesh.mesh().problems()).isEmpty()).isTrue();
    }

    @ParameterizedTest(name = "given the annotation \"{0}\"")
    @CsvSource({"''", "' '"})
    void givenEmptyAnnotation_thenProblemAndTheGatewayIsForEverybody(String account) {
        mesh.put(
                namespace("app").useWaypoint("wp"),
                waypoint("app/wp").forAccount(account),
                podOf("pay"),
                serviceOf("pay"));

        assertThat(problem("Gateway/app/wp")).contains("app/wp", "istio.io/for-service-account");
        assertThat(ofService("pay")).isEqualTo("wp");
        assertThat(ofPod("pay")).isEqualTo("-");
    }

    @Test
    void givenPodThatHasEnded_thenItsServiceHasNone() {
        mesh.put(guard(), podOf("pay").phase(Phase.SUCCEEDED), serviceOf("pay"));

        assertThat(ofService("pay")).isEqualTo("-");
    }

    @Test
    void givenWorkloadEntriesAndEndpoints_thenTheirAccountsCountAsThoseOfPods() {
        mesh.put(
                guard(),
                vm("app/vm", endpoint("10.0.0.9").account("pay")).label("app", "vm"),
                serviceOf("vm"),
                entry("app/selects-vm", "vm.example.com").address("10.97.0.1").selects("app", "vm"),
                podOf("pay"),
                entry("app/selects-pod", "pod.example.com").address("10.97.0.2").selects("app", "pay"),
                entry("app/inline", "inline.example.com")
                        .address("10.97.0.3")
                        .endpoint(endpoint("10.1.0.1").account("pay"))
                        .endpoint(endpoint("10.1.0.2").account("web")),
                entry("app/foreign", "foreign.example.com")
                        .address("10.97.0.4")
                        .endpoint(endpoint("10.1.0.3").account("web")));

        assertThat(name(mesh.vm("app/vm").waypoint())).isEqualTo("guard");
        assertThat(mesh.bound("WorkloadEntry/app/vm")).isEqualTo("True/WaypointAccepted");
        assertThat(ofService("vm")).isEqualTo("guard");
        assertThat(ofHost("vm.example.com")).isEqualTo("guard");
        assertThat(ofHost("pod.example.com")).isEqualTo("guard");
        assertThat(ofHost("inline.example.com")).isEqualTo("guard");
        assertThat(ofHost("foreign.example.com")).isEqualTo("-");
        assertThat(mesh.bound("ServiceEntry/app/inline")).isEqualTo("True/WaypointAccepted");
        assertThat(name(mesh.workload(endpointUid("app/inline/10.1.0.1")).waypoint()))
                .isEqualTo("guard");
        assertThat(name(mesh.workload(endpointUid("app/inline/10.1.0.2")).waypoint()))
                .isEqualTo("-");
    }

    @Test
    void givenServiceWithoutSelector_thenThePodsOfItsSlicesCount() {
        var pods = slice("app/s", "manual").pod("10.0.0.1", "app", "pay", "uid-of-pay");
        mesh.put(guard(), podOf("pay"), service("app/manual"), pods);
        assertThat(ofService("manual")).isEqualTo("guard");

        mesh.put(podOf("pay").account("web"));
        assertThat(ofService("manual")).isEqualTo("-");
        mesh.put(podOf("pay").uid("another"));
        assertThat(ofService("manual")).isEqualTo("-");
        mesh.put(podOf("pay"));
        assertThat(ofService("manual")).isEqualTo("guard");
        mesh.remove(pods);
        assertThat(ofService("manual")).isEqualTo("-");
    }

    @Test
    void givenSelectionsThatAreTurnedOff_thenTheyBringNothing() {
        var narrow = new TestMesh(AmbientConfig.defaults()
                .without(Feature.SERVICES_SELECT_ENTRIES)
                .without(Feature.ENTRIES_SELECT_PODS));
        narrow.put(
                guard(),
                vm("app/vm", endpoint("10.0.0.9").account("pay")).label("app", "vm"),
                serviceOf("vm"),
                podOf("pay"),
                entry("app/e", "pod.example.com").address("10.97.0.2").selects("app", "pay"));

        assertThat(name(narrow.kubeService("app/vm").waypoint())).isEqualTo("-");
        assertThat(name(narrow.service("app/pod.example.com").waypoint())).isEqualTo("-");
    }

    @Test
    void givenCanaryOfTheNamespace_thenItBelongsToTheNamespacesWaypointOnly() {
        mesh.put(
                namespace("app").useWaypoint("ns").label(CANARY, "next"),
                waypoint("app/ns"),
                waypoint("app/next"),
                guard(),
                podOf("pay"),
                serviceOf("pay"),
                podOf("own"),
                service("app/own").selects("app", "pay").label(CANARY, "next"));

        assertThat(mesh.kubeService("app/pay").weightedWaypoints()).isEmpty();
        assertThat(mesh.kubeService("app/own").weightedWaypoints()).hasSize(2);
    }

    @Test
    void givenWaypointsThatAreLetIn_thenPodsListThePolicyOfTheirs() {
        var open = new TestMesh(AmbientConfig.defaults().with(Feature.AUTO_ALLOW_WAYPOINT));
        open.put(
                guard(),
                pod("app/guard-1").account("envoy").label("gateway.networking.k8s.io/gateway-name", "guard"),
                podOf("pay"),
                pod("app/mate").account("web").label("app", "pay"),
                serviceOf("pay"),
                podOf("web"));

        var policy = "app/istio_allow_waypoint_app_guard";
        assertThat(open.pod("app/pay").authorizationPolicies()).containsExactly(policy);
        assertThat(open.pod("app/mate").authorizationPolicies()).containsExactly(policy);
        assertThat(open.pod("app/web").authorizationPolicies()).isEmpty();
    }

    @Test
    void whenPodsChange_thenOnlyWhatTheyConcernIsPushed() {
        mesh.put(guard(), podOf("web"), serviceOf("web"), serviceOf("pay"));

        mesh.put(podOf("pay"));
        assertThat(mesh.changed()).containsExactly(podUid("app/pay"), serviceName("app/pay"));
        mesh.put(podOf("pay").notReady());
        assertThat(mesh.changed()).containsExactly(podUid("app/pay"));
        mesh.put(podOf("pay").account("web"));
        assertThat(mesh.changed()).containsExactly(podUid("app/pay"), serviceName("app/pay"));
        assertThat(ofService("pay")).isEqualTo("-");
        mesh.put(podOf("pay"));
        assertThat(ofService("pay")).isEqualTo("guard");
        mesh.remove(podOf("pay"));
        assertThat(mesh.changed()).containsExactly(podUid("app/pay"), serviceName("app/pay"));
        assertThat(ofService("pay")).isEqualTo("-");
    }

    @Test
    void whenTheAnnotationGoesOrMoves_thenOnlyThoseBehindItArePushed() {
        mesh.put(guard(), podOf("pay"), serviceOf("pay"), podOf("web"), serviceOf("web"), serviceOf("idle"));

        mesh.put(waypoint("app/guard"));
        assertThat(mesh.changed()).containsExactly(podUid("app/pay"), serviceName("app/pay"));
        assertThat(ofPod("pay")).isEqualTo("-");
        assertThat(mesh.bound("Service/app/pay")).isEqualTo("-");

        mesh.put(waypoint("app/guard").forAccount("web"));
        assertThat(mesh.changed()).containsExactly(podUid("app/web"), serviceName("app/web"));
        assertThat(mesh.mesh().servicesOf(guard().key())).hasSize(1);
        assertThat(mesh.mesh().workloadsOf(guard().key())).hasSize(1);

        mesh.remove(guard());
        assertThat(mesh.changed()).containsExactly(podUid("app/web"), serviceName("app/web"));
    }

    @ParameterizedTest(name = "seed {0}")
    @CsvSource({"1", "2", "3", "4", "5", "6", "7", "8"})
    void givenAnyOrder_thenTheSameState(long seed) {
        var drafts = new ArrayList<Draft<?>>(List.of(
                namespace("app").useWaypoint("ns"),
                waypoint("app/ns").serves("all"),
                guard().createdAt(3),
                waypoint("app/old").forAccount("web").createdAt(1),
                waypoint("app/late").forAccount("pay").createdAt(4),
                podOf("pay").label("tier", "back"),
                podOf("web").label("tier", "back"),
                serviceOf("pay"),
                serviceOf("web"),
                service("app/back").selects("tier", "back"),
                podOf("rest"),
                serviceOf("rest")));
        Collections.shuffle(drafts, new Random(seed));

        drafts.forEach(mesh::put);

        assertThat(List.of(ofPod("pay"), ofService("pay"))).containsOnly("guard");
        assertThat(List.of(ofPod("web"), ofService("web"), ofService("back"))).containsOnly("old");
        assertThat(List.of(ofPod("rest"), ofService("rest"))).containsOnly("ns");
    }

    private static GatewayDraft guard() {
        return waypoint("app/guard").forAccount("pay");
    }

    private static PodDraft podOf(String name) {
        return pod("app/" + name).account(name).label("app", name);
    }

    private static ServiceDraft serviceOf(String name) {
        return service("app/" + name).selects("app", name);
    }

    private static void label(Draft<?> object, String waypoint) {
        if (!waypoint.equals("-")) {
            object.useWaypoint(waypoint);
        }
    }

    private String ofPod(String name) {
        return name(mesh.pod("app/" + name).waypoint());
    }

    private String ofService(String name) {
        return name(mesh.kubeService("app/" + name).waypoint());
    }

    private String ofHost(String host) {
        return name(mesh.service("app/" + host).waypoint());
    }

    private String problem(String object) {
        return Ids.problem(mesh.mesh().cut(), mesh.mesh().problems(), Ids.of(object))
                .orElseThrow()
                .message();
    }

    /// The Gateway that is behind an address, or `-`.
    private static String name(Optional<GatewayAddress> waypoint) {
        return waypoint.map(own -> switch (own.destination()) {
                    case GatewayDestination.ByHostname(var host) ->
                        host.hostname().substring(0, host.hostname().indexOf('.'));
                    case GatewayDestination.ByAddress(var at) -> at.toString();
                })
                .orElse("-");
    }
}
