// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.endpoint.v3.LbEndpoint;
import io.fathom.control.envoy.cluster.Drafts.MemberDraft;
import io.fathom.control.envoy.view.ClusterName;
import io.fathom.control.envoy.view.Member;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.mesh.LoadBalancing;
import io.fathom.model.mesh.LoadBalancing.HealthPolicy;
import io.fathom.model.mesh.LoadBalancing.Mode;
import io.fathom.model.mesh.LoadBalancing.Scope;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.NetworkAddress;
import io.fathom.model.mesh.Service.IngressWaypoint;
import io.fathom.model.mesh.Service.WeightedWaypoint;
import io.fathom.model.mesh.Workload;
import io.fathom.model.peering.Reachability;
import io.fathom.wire.kube.traffic.TrafficPolicy.Distribution;
import io.fathom.wire.kube.traffic.TrafficPolicy.Failover;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class EndpointsTest {
    private static final ProxyLocation HERE =
            new ProxyLocation("", "c1", "n1", Locality.parse("r1/z1/s1"), Map.of("app", "gw", "tier", "edge"));

    private static EndpointPlan plan(ProxyRole role, Placement placement) {
        return new EndpointPlan(ClusterName.outbound(80, "", Drafts.HOST), role, Drafts.KEY, 80, Map.of(), placement);
    }

    private static MemberDraft member(String name) {
        return Drafts.member(name, "10.0.0." + (name.charAt(0) - 'a' + 1), 8080);
    }

    private static ClusterLoadAssignment set(MeshService service, Placement placement, MemberDraft... members) {
        return Endpoints.of(
                plan(ProxyRole.WAYPOINT, placement),
                service,
                Stream.of(members).map(MemberDraft::build).toList(),
                HERE);
    }

    /// The names of members by priority.
    private static Map<Integer, List<String>> priorities(ClusterLoadAssignment set) {
        var found = new TreeMap<Integer, List<String>>();
        for (var group : set.getEndpointsList()) {
            for (var endpoint : group.getLbEndpointsList()) {
                found.computeIfAbsent(group.getPriority(), _ -> new ArrayList<>())
                        .add(name(endpoint));
            }
        }
        return found;
    }

    private static String name(LbEndpoint endpoint) {
        var about = endpoint.getMetadata()
                .getFilterMetadataOrThrow("istio")
                .getFieldsOrThrow("workload")
                .getStringValue();
        return about.substring("web-".length(), about.indexOf(';'));
    }

    @Test
    void givenAMemberOfTheMesh_thenATunnelLeadsToItsOwnAddress() {
        var draft = member("a");
        draft.capacity = 3;

        var endpoint = set(Drafts.service().build(), new Placement.Anywhere(), draft)
                .getEndpoints(0)
                .getLbEndpoints(0);

        var address = endpoint.getEndpoint().getAddress().getEnvoyInternalAddress();
        assertThat(address.getServerListenerName()).isEqualTo("connect_originate");
        assertThat(address.getEndpointId()).isEqualTo("10.0.0.1:8080");
        var metadata = endpoint.getMetadata().getFilterMetadataMap();
        assertThat(metadata.get("envoy.filters.listener.original_dst"))
                .isEqualTo(Protos.struct(Map.of("local", "10.0.0.1:8080")));
        assertThat(metadata.get("envoy.transport_socket_match")).isEqualTo(Protos.struct(Map.of("tunnel", "http")));
        assertThat(metadata.get("istio"))
                .isEqualTo(Protos.struct(Map.of(
                        "canonical", "web",
                        "cluster", "c1",
                        "name", "web-a",
                        "namespace", "shop",
                        "principal", "spiffe://cluster.local/ns/shop/sa/web",
                        "revision", "latest",
                        "workload", "web-a;shop;web;;c1")));
        assertThat(endpoint.getLoadBalancingWeight().getValue()).isEqualTo(3);
    }

    @Test
    void givenAMemberOutsideOfTheMesh_thenItIsDialled() {
        var endpoint = set(
                        Drafts.service().build(),
                        new Placement.Anywhere(),
                        member("a").plain())
                .getEndpoints(0)
                .getLbEndpoints(0);

        assertThat(endpoint.getEndpoint().getAddress().getSocketAddress().getAddress())
                .isEqualTo("10.0.0.1");
        assertThat(endpoint.getMetadata().getFilterMetadataMap()).containsOnlyKeys("istio");
    }

    @Test
    void givenASidecar_thenOnlyWaypointsTunnelToIt() {
        var sidecar = member("a").labelled("security.istio.io/tlsMode", "istio").build();
        var service = Drafts.service().build();

        var gateway = Endpoints.of(plan(ProxyRole.INGRESS, new Placement.Anywhere()), service, List.of(sidecar), HERE);
        var waypoint =
                Endpoints.of(plan(ProxyRole.WAYPOINT, new Placement.Anywhere()), service, List.of(sidecar), HERE);

        assertThat(gateway.getEndpoints(0)
                        .getLbEndpoints(0)
                        .getEndpoint()
                        .getAddress()
                        .hasSocketAddress())
                .isTrue();
        assertThat(waypoint.getEndpoints(0)
                        .getLbEndpoints(0)
                        .getEndpoint()
                        .getAddress()
                        .hasEnvoyInternalAddress())
                .isTrue();
    }

    @Test
    void givenMembersThatDoNotCount_thenTheyAreLeftOut() {
        var unhealthy = member("b");
        unhealthy.health = Workload.Health.UNHEALTHY;
        var portless = Drafts.member("c", "10.0.0.3", 0);
        var named = Drafts.member("d", "db.example.com", 8080);

        var set = set(Drafts.service().build(), new Placement.Anywhere(), member("a"), unhealthy, portless, named);
        var publishing = Drafts.service();
        publishing.balancing = new LoadBalancing(List.of(), Mode.UNSPECIFIED, HealthPolicy.ALLOW_ALL);

        assertThat(priorities(set)).isEqualTo(Map.of(0, List.of("a")));
        assertThat(priorities(set(publishing.build(), new Placement.Anywhere(), member("a"), unhealthy)))
                .isEqualTo(Map.of(0, List.of("a", "b")));
    }

    @Test
    void givenASubset_thenOnlyItsMembersAreIn() {
        var plan = new EndpointPlan(
                ClusterName.outbound(80, "v1", Drafts.HOST),
                ProxyRole.INGRESS,
                Drafts.KEY,
                80,
                Map.of("version", "v1"),
                new Placement.Anywhere());
        var members = List.of(
                member("a").labelled("version", "v1").build(),
                member("b").labelled("version", "v2").build());

        var set = Endpoints.of(plan, Drafts.service().build(), members, HERE);

        assertThat(set.getClusterName()).isEqualTo("outbound|80|v1|" + Drafts.HOST);
        assertThat(priorities(set)).isEqualTo(Map.of(0, List.of("a")));
    }

    static Stream<Arguments> placements() {
        var a = member("a").in("r1/z1/s1").on("n1");
        var b = member("b").in("r1/z1/s1").on("n2");
        var c = member("c").in("r1/z2").on("n3");
        var d = member("d").in("r2/z1").on("n4");
        var e = member("e").in("r3/z1").on("n5");
        var zone = List.of(Scope.NETWORK, Scope.REGION, Scope.ZONE);
        var node = List.of(Scope.NETWORK, Scope.REGION, Scope.ZONE, Scope.SUBZONE, Scope.NODE);
        var all = List.of(a, b, c, d, e);
        return Stream.of(
                argumentSet("given no wish, then all are alike", new Placement.Anywhere(), all, Map.of(0, "abcde")),
                argumentSet(
                        "given PreferSameZone, then the zone, the region, the rest",
                        new Placement.Nearest(zone),
                        all,
                        Map.of(0, "ab", 1, "c", 2, "de")),
                argumentSet(
                        "given PreferSameNode, then the node first",
                        new Placement.Nearest(node),
                        all,
                        Map.of(0, "a", 1, "b", 2, "c", 3, "de")),
                argumentSet(
                        "given nobody near, then priorities still begin with 0",
                        new Placement.Nearest(zone),
                        List.of(c, d),
                        Map.of(0, "c", 1, "d")),
                argumentSet(
                        "given ejection, then regions come last",
                        new Placement.Regional(List.of()),
                        all,
                        Map.of(0, "ab", 1, "c", 2, "de")),
                argumentSet(
                        "given a region that helps out, then it comes before others",
                        new Placement.Regional(List.of(new Failover("r1", "r3"))),
                        all,
                        Map.of(0, "ab", 1, "c", 2, "e", 3, "d")),
                argumentSet(
                        "given labels, then they count in order",
                        new Placement.SameLabels(
                                List.of("topology.kubernetes.io/region", "topology.kubernetes.io/zone")),
                        all,
                        Map.of(0, "ab", 1, "c", 2, "de")),
                argumentSet(
                        "given labels of our own, then they are compared with the proxy's",
                        new Placement.SameLabels(List.of("tier", "version=v2")),
                        List.of(
                                member("a").labelled("tier", "edge"),
                                member("b").labelled("tier", "core"),
                                member("c")),
                        Map.of(0, "a", 1, "bc")));
    }

    @ParameterizedTest
    @MethodSource("placements")
    void whenPlacesMatter(Placement placement, List<MemberDraft> members, Map<Integer, String> want) {
        var service = Drafts.service().build();
        var built = members.stream().map(MemberDraft::build).toList();
        var plan = plan(ProxyRole.WAYPOINT, placement);

        var set = Endpoints.of(plan, service, built, HERE);

        var found = new TreeMap<Integer, String>();
        priorities(set)
                .forEach((priority, names) ->
                        found.put(priority, names.stream().sorted().reduce("", String::concat)));
        assertThat(found).isEqualTo(want);
        assertThat(Endpoints.of(plan, service, built.reversed(), HERE))
                .as("whatever the order")
                .isEqualTo(set);
        assertThat(Endpoints.of(plan, service, built, Endpoints.vantage(plan, service, HERE)))
                .as("from the vantage cut down")
                .isEqualTo(set);
    }

    @Test
    void givenShares_thenPlacesHaveWeightsAndOthersAreLeftOut() {
        var placement = new Placement.Shares(List.of(new Distribution("r1/*", Map.of("r1/z1/*", 80, "r1/*", 20))));

        var set = set(
                Drafts.service().build(),
                placement,
                member("a").in("r1/z1/s1"),
                member("b").in("r1/z1/s2"),
                member("c").in("r1/z2"),
                member("d").in("r2"));

        assertThat(set.getEndpointsList())
                .extracting(group ->
                        group.getLocality().getZone() + group.getLocality().getSubZone() + "="
                                + group.getLoadBalancingWeight().getValue())
                .containsExactly("z1s1=4000", "z1s2=4000", "z2=2000");
    }

    @Test
    void givenInternalTrafficPolicyLocal_thenOnlyMembersOfTheNodeAreIn() {
        var service = Drafts.service();
        service.balancing = new LoadBalancing(List.of(Scope.NODE), Mode.STRICT, HealthPolicy.ONLY_HEALTHY);

        var set = set(
                service.build(),
                new Placement.Anywhere(),
                member("a").on("n1"),
                member("b").on("n2"));

        assertThat(priorities(set)).isEqualTo(Map.of(0, List.of("a")));
    }

    static Stream<Arguments> vantages() {
        var nothing = ProxyLocation.on("");
        return Stream.of(
                argumentSet("given no wish, then only the network matters", new Placement.Anywhere(), nothing),
                argumentSet(
                        "given the zone, then the place matters",
                        new Placement.Nearest(List.of(Scope.NETWORK, Scope.REGION, Scope.ZONE)),
                        new ProxyLocation("", "", "", HERE.locality(), Map.of())),
                argumentSet(
                        "given the node, then it matters",
                        new Placement.Nearest(List.of(Scope.NODE)),
                        new ProxyLocation("", "", "n1", Locality.NONE, Map.of())),
                argumentSet(
                        "given labels, then those matter",
                        new Placement.SameLabels(List.of("tier", "absent")),
                        new ProxyLocation("", "", "", Locality.NONE, Map.of("tier", "edge"))),
                argumentSet(
                        "given regions, then the place matters",
                        new Placement.Regional(List.of()),
                        new ProxyLocation("", "", "", HERE.locality(), Map.of())));
    }

    @ParameterizedTest
    @MethodSource("vantages")
    void whenVantagesAreCutDown(Placement placement, ProxyLocation want) {
        assertThat(Endpoints.vantage(
                        plan(ProxyRole.WAYPOINT, placement), Drafts.service().build(), HERE))
                .isEqualTo(want);
    }

    private static GatewayAddress gateway(String address) {
        return new GatewayAddress(
                new GatewayAddress.GatewayDestination.ByAddress(
                        NetworkAddress.of("n2", Ip.parse(address).orElseThrow())),
                15008);
    }

    @Test
    void givenMembersOfAnotherNetwork_thenTheirGatewayStandsForThem() {
        var far = Stream.of("a", "b")
                .map(EndpointsTest::member)
                .peek(draft -> draft.network = "n2")
                .toList();
        var lost = member("c");
        lost.network = "n3";

        var set = set(
                List.of(),
                Stream.concat(far.stream(), Stream.of(lost)).toList(),
                Map.of("n2", List.of("172.16.0.1:15008")));

        assertThat(set.getEndpointsList()).hasSize(1);
        var endpoint = set.getEndpoints(0).getLbEndpointsList();
        assertThat(endpoint).singleElement().satisfies(only -> {
            var address = only.getEndpoint().getAddress().getEnvoyInternalAddress();
            assertThat(address.getServerListenerName()).isEqualTo("inner_connect_originate");
            assertThat(address.getEndpointId()).isEqualTo("172.16.0.1:15008");
            assertThat(only.getLoadBalancingWeight().getValue()).isEqualTo(2);
            assertThat(only.getMetadata()
                            .getFilterMetadataOrThrow("istio")
                            .getFieldsOrThrow("double_hbone")
                            .getStructValue())
                    .isEqualTo(Protos.struct(Map.of("hbone_target_address", Drafts.HOST + ":80")));
        });
    }

    private static ClusterLoadAssignment set(
            List<MemberDraft> near, List<MemberDraft> far, Map<String, List<String>> ways) {
        var gateways = new TreeMap<String, Map<IpPort, Reachability>>();
        ways.forEach((network, addresses) -> {
            var verdicts = new TreeMap<IpPort, Reachability>(IpPort.ORDER);
            addresses.forEach(text -> {
                var words = text.split(" ", 2); // an address, and a verdict if it is not a good one
                verdicts.put(
                        IpPort.parse(words[0]).orElseThrow(),
                        words.length == 1 ? Reachability.REACHABLE : Reachability.valueOf(words[1]));
            });
            gateways.put(network, verdicts);
        });
        return Endpoints.of(
                plan(ProxyRole.WAYPOINT, new Placement.Anywhere()),
                Drafts.service().build(),
                near.stream().map(MemberDraft::build).toList(),
                new Elsewhere(far.stream().map(MemberDraft::build).toList(), gateways),
                HERE);
    }

    private static MemberDraft on(String network, String name, int capacity) {
        var draft = member(name);
        draft.network = network;
        draft.capacity = capacity;
        return draft;
    }

    /// Case 85: each network has the share that its members would have, and its gateways share that evenly.
    @Test
    void givenSeveralGateways_thenTheirWeightsAreSharesOfWhatTheyStandFor() {
        var set = set(
                List.of(on("", "a", 0), on("", "b", 2)),
                List.of(on("n2", "c", 1), on("n2", "d", 2), on("n3", "e", 0), unhealthy(on("n3", "f", 5))),
                Map.of(
                        "n2", List.of("172.16.0.1:15008", "172.16.0.2:15008"),
                        "n3", List.of("172.16.0.3:15008", "172.16.0.4:15008", "172.16.0.5:1234")));

        assertThat(weights(set))
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "10.0.0.1:8080", 6,
                        "10.0.0.2:8080", 12,
                        "172.16.0.1:15008", 9,
                        "172.16.0.2:15008", 9,
                        "172.16.0.3:15008", 2,
                        "172.16.0.4:15008", 2,
                        "172.16.0.5:1234", 2));
    }

    @Test
    void givenGatewaysThatFail_thenTheyGetLessOrNothing_unlessThereIsNoOtherWay() {
        var near = List.of(on("", "a", 0));
        var far = List.of(on("n2", "c", 2));
        var down = Map.of("n2", List.of("172.16.0.1:15008 DOWN"));
        assertThat(weights(set(near, far, down))).containsOnlyKeys("10.0.0.1:8080");
        assertThat(weights(set(List.of(), far, down))).containsOnlyKeys("172.16.0.1:15008");
        assertThat(weights(set(List.of(), far, Map.of("n2", List.of("172.16.0.1:15008 DOWN", "172.16.0.1:15009")))))
                .containsExactlyEntriesOf(Map.of("172.16.0.1:15009", 2));
        assertThat(weights(set(
                        List.of(),
                        List.of(on("n2", "c", 2), on("n3", "d", 1)),
                        Map.of("n2", List.of("172.16.0.1:15008 DOWN"), "n3", List.of("172.16.0.3:15008")))))
                .containsOnlyKeys("172.16.0.3:15008");
        assertThat(weights(set(near, far, Map.of("n2", List.of("172.16.0.1:15008 SUSPECT")))))
                .containsExactlyInAnyOrderEntriesOf(Map.of("10.0.0.1:8080", 10, "172.16.0.1:15008", 2));
    }

    private static Map<String, Integer> weights(ClusterLoadAssignment set) {
        var result = new TreeMap<String, Integer>();
        set.getEndpointsList()
                .forEach(group -> group.getLbEndpointsList()
                        .forEach(endpoint -> result.put(
                                endpoint.getEndpoint()
                                        .getAddress()
                                        .getEnvoyInternalAddress()
                                        .getEndpointId(),
                                endpoint.getLoadBalancingWeight().getValue())));
        return result;
    }

    /// Case 85: nothing leads there.
    @Test
    void givenNetworkWithoutGateway_thenItsMembersAreLeftOut() {
        assertThat(set(List.of(), List.of(on("n2", "a", 1)), Map.of()).getEndpointsList())
                .isEmpty();
        assertThat(set(List.of(), List.of(on("n2", "a", 1)), Map.of("n2", List.of()))
                        .getEndpointsList())
                .isEmpty();
    }

    @Test
    void givenAGatewayOfTheNetwork_thenMembersGetTunnelsAsTheyAre() {
        var cluster = ClusterName.behindWaypoint(80, ClusterName.ClusterLayer.TCP, "", Drafts.HOST);
        var plan = new EndpointPlan(cluster, ProxyRole.EAST_WEST, Drafts.KEY, 80, Map.of(), new Placement.Anywhere());
        var set = Endpoints.of(
                plan,
                Drafts.service().build(),
                List.of(
                        member("a").build(),
                        member("b").plain().build(),
                        on("n2", "c", 1).build()),
                HERE);

        assertThat(set.getEndpointsList()).hasSize(1);
        assertThat(set.getEndpoints(0).getLbEndpointsList()).singleElement().satisfies(only -> {
            var address = only.getEndpoint().getAddress().getEnvoyInternalAddress();
            assertThat(address.getServerListenerName()).isEqualTo("forward_inner_connect");
            assertThat(address.getEndpointId()).isEqualTo("10.0.0.1:8080");
        });
    }

    private static MeshService throughWaypoints(int... weights) {
        var draft = Drafts.service();
        draft.addresses = List.of(NetworkAddress.of("", Ip.parse("10.96.0.1").orElseThrow()));
        draft.ingress = IngressWaypoint.USED;
        draft.waypoint = Optional.of(gateway("172.16.0.1"));
        draft.weighted = java.util.Arrays.stream(weights)
                .mapToObj(weight -> new WeightedWaypoint(gateway("172.16.0." + weight), weight))
                .toList();
        return draft.build();
    }

    @Test
    void givenWaypointsForGateways_thenOnlyGatewaysGoThroughThem() {
        var gateway = plan(ProxyRole.INGRESS, new Placement.Anywhere());
        var withoutAddress = Drafts.service();
        withoutAddress.ingress = IngressWaypoint.USED;
        withoutAddress.waypoint = Optional.of(gateway("172.16.0.1"));

        assertThat(Endpoints.waypoints(gateway, throughWaypoints())).hasSize(1);
        assertThat(Endpoints.waypoints(gateway, throughWaypoints(90, 10))).hasSize(2);
        assertThat(Endpoints.waypoints(plan(ProxyRole.WAYPOINT, new Placement.Anywhere()), throughWaypoints()))
                .isEmpty();
        assertThat(Endpoints.waypoints(gateway, withoutAddress.build())).isEmpty();
        assertThat(Endpoints.waypoints(gateway, Drafts.service().build())).isEmpty();
    }

    @Test
    void givenWeightedWaypoints_thenPodsShareTheWeight() {
        var service = throughWaypoints(90, 10, 0);
        Member unready = unhealthy(member("d")).build();

        var set = Endpoints.through(
                plan(ProxyRole.INGRESS, new Placement.Anywhere()),
                service,
                List.of(
                        new Endpoints.Via(
                                gateway("172.16.0.90"),
                                90,
                                List.of(member("a").build(), member("b").build(), unready)),
                        new Endpoints.Via(
                                gateway("172.16.0.10"), 10, List.of(member("c").build())),
                        new Endpoints.Via(
                                gateway("172.16.0.10"), 0, List.of(member("e").build()))),
                HERE);

        assertThat(set.getEndpoints(0).getLbEndpointsList())
                .extracting(endpoint -> name(endpoint) + "="
                        + endpoint.getLoadBalancingWeight().getValue() + " "
                        + endpoint.getMetadata()
                                .getFilterMetadataOrThrow("envoy.filters.listener.original_dst")
                                .getFieldsOrThrow("local")
                                .getStringValue()
                        + " at "
                        + endpoint.getMetadata()
                                .getFilterMetadataOrThrow("envoy.filters.listener.original_dst")
                                .getFieldsOrThrow("waypoint")
                                .getStringValue())
                .containsExactly(
                        "a=450000 10.96.0.1:80 at 10.0.0.1:15008",
                        "b=450000 10.96.0.1:80 at 10.0.0.2:15008",
                        "c=100000 10.96.0.1:80 at 10.0.0.3:15008");
    }

    private static MemberDraft unhealthy(MemberDraft draft) {
        draft.health = Workload.Health.UNHEALTHY;
        return draft;
    }
}
