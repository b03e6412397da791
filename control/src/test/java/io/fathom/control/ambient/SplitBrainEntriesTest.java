// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.fathom.base.flow.Failures;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Feature;
import io.fathom.model.mesh.Address;
import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.mesh.Workload;
import io.fathom.model.routing.Balancer;
import io.fathom.model.routing.Load;
import io.fathom.model.routing.MeshDelta;
import io.fathom.model.routing.MeshStore;
import io.fathom.model.routing.OutboundDecision;
import io.fathom.model.routing.OutboundRequest;
import io.fathom.model.routing.OutboundRouter;
import io.fathom.model.routing.ProxyPorts;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.ManifestReader;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.Reading;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Limits;
import io.fathom.wire.workload.AddressCodec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Clusters that know of each other no more than how many endpoints a service has behind the other's gateway: entries
/// with the gateway's address (seed 002, lines 417 to 449).
class SplitBrainEntriesTest {
    private static final String GATEWAY = "192.0.2.10";

    /// As in the seed, with the address filled in, and what Kubernetes and selectors need.
    private static final String ENTRIES = """
            apiVersion: networking.istio.io/v1
            kind: WorkloadEntry
            metadata:
              name: service-a
              namespace: shop
              labels: {app: a}
            spec:
              address: <eastwest-gateway-address>
              network: remote
              weight: 12
            ---
            apiVersion: networking.istio.io/v1
            kind: WorkloadEntry
            metadata:
              name: service-b
              namespace: shop
              labels: {app: b}
            spec:
              address: <eastwest-gateway-address>
              network: remote
              weight: 4
            """;

    private static final String WORLD = """
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: istio, namespace: istio-system}
            data:
              mesh: |
                serviceScopeConfigs:
                - {servicesSelector: {matchLabels: {istio.io/global: "true"}}, scope: GLOBAL}
            ---
            {apiVersion: v1, kind: Namespace, metadata: {name: istio-system, labels: {topology.istio.io/network: home}}}
            ---
            {apiVersion: v1, kind: Namespace, metadata: {name: shop}}
            ---
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata:
              name: remote
              namespace: istio-system
              labels: {topology.istio.io/network: remote}
              annotations: {gateway.istio.io/service-account: eastwest}
            spec: {gatewayClassName: istio-remote, listeners: [{name: hbone, port: 15008, protocol: HBONE}]}
            status: {addresses: [{type: <type>, value: <eastwest-gateway-address>}]}
            """;

    private static final String SERVICE = """
            ---
            apiVersion: networking.istio.io/v1
            kind: ServiceEntry
            metadata: {name: %1$s, namespace: shop, labels: {istio.io/global: "true"}}
            spec:
              hosts: [%1$s.example.com]
              addresses: [%2$s]
              ports: [{number: 80, name: http, protocol: HTTP}]
              resolution: STATIC
              location: MESH_INTERNAL
              subjectAltNames: ["spiffe://cluster.local/ns/shop/sa/%1$s"]
              workloadSelector: {labels: {app: %1$s}}
            """;

    /// How node proxies are told of networks.
    enum Networks {
        AS_ONE,
        SEVERAL;

        AmbientConfig config() {
            return this == SEVERAL ? AmbientConfig.defaults().with(Feature.MULTI_NETWORK) : AmbientConfig.defaults();
        }
    }

    private final ManifestReader reader =
            new ManifestReader(ReaderConfig.of("Kubernetes", "", "istio-system").ofApiServer());
    private final Random random = new Random(7);

    private AmbientMesh mesh(AmbientConfig config, String type, String gateway) {
        var text = WORLD.replace("<type>", type)
                + SERVICE.formatted("a", "240.0.0.1")
                + SERVICE.formatted("b", "240.0.0.2")
                + "---\n"
                + ENTRIES;
        var mesh = new AmbientMesh(config, Failures.rethrown());
        var changes = new ArrayList<ManifestChange>();
        var filled = text.replace("<eastwest-gateway-address>", gateway);
        for (var document : Documents.ofYaml("test", filled, Limits.DEFAULT)) {
            for (var reading : reader.read(((Document.Parsed) document).root(), _ -> Instant.EPOCH)) {
                changes.add(new ManifestChange.Put(((Reading.Good) reading).manifest()));
            }
        }
        mesh.apply(changes);
        return mesh;
    }

    private static List<Address> addresses(AmbientMesh mesh) {
        var all = new ArrayList<Address>();
        mesh.cut().of(mesh.addresses()).forEach((_, address) -> all.add(address));
        return all;
    }

    private static List<Workload> workloads(AmbientMesh mesh) {
        return addresses(mesh).stream()
                .filter(Workload.class::isInstance)
                .map(Workload.class::cast)
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"192.0.2.10", "2001:db8::10", "eastwest.remote.example.com"})
    void thenBothAreServedWithoutAnAddress_andTheGatewayAloneHasItsOwn(String gateway) {
        var mesh = mesh(AmbientConfig.defaults(), gateway.contains("remote") ? "Hostname" : "IPAddress", gateway);
        assertThat(workloads(mesh).stream().filter(workload -> workload.uid().contains("/WorkloadEntry/")))
                .extracting(Workload::name, Workload::capacity, Workload::addresses, Workload::hostname)
                .containsExactlyInAnyOrder(tuple("service-a", 12, List.of(), ""), tuple("service-b", 4, List.of(), ""));
        assertThat(workloads(mesh).stream()
                        .flatMap(workload -> workload.aliases().stream())
                        .toList())
                .doesNotHaveDuplicates();
    }

    @Test
    void givenAnotherAddressOfThatNetwork_thenAnEntryKeepsIt() {
        var mesh = mesh(AmbientConfig.defaults(), "IPAddress", GATEWAY);
        mesh.apply(List.of(new ManifestChange.Put(
                Drafts.vm("shop/known", Drafts.endpoint("10.9.0.1").network("remote"))
                        .manifest())));
        assertThat(workloads(mesh))
                .filteredOn(workload -> workload.name().equals("known"))
                .singleElement()
                .satisfies(workload -> assertThat(workload.aliases()).containsExactly("remote/10.9.0.1"));
    }

    private OutboundDecision call(MeshStore store, String vip) {
        var client = store.view().workload("Kubernetes//Pod/shop/client").orElseThrow();
        return new OutboundRouter("home", ProxyPorts.DEFAULT, new Balancer(Load.UNKNOWN))
                .decide(
                        store.view(),
                        new OutboundRequest(
                                client,
                                Ip.parse("10.0.0.1").orElseThrow(),
                                IpPort.parse(vip + ":80").orElseThrow()),
                        random);
    }

    /// What a node proxy makes of what is on the wire.
    private static MeshStore store(List<Address> addresses) {
        var store = new MeshStore(Optional.empty());
        store.apply(MeshDelta.ofAddresses(
                addresses.stream().map(SplitBrainEntriesTest::carried).toList(), List.of()));
        return store;
    }

    private static Address carried(Address address) {
        return AddressCodec.decode(AddressCodec.encode(address));
    }

    @ParameterizedTest
    @EnumSource(Networks.class)
    void whenServicesAreCalled_thenEachGoesThroughTheGatewayToItsOwn(Networks networks) {
        var mesh = mesh(networks.config(), "IPAddress", GATEWAY);
        mesh.apply(List.of(new ManifestChange.Put(
                Drafts.pod("shop/client").ips("10.0.0.1").captured().manifest())));
        var store = store(addresses(mesh));
        for (var name : List.of("a", "b")) {
            var decision = call(store, name.equals("a") ? "240.0.0.1" : "240.0.0.2");
            assertThat(decision).isInstanceOfSatisfying(OutboundDecision.NestedTunnel.class, nested -> {
                assertThat(nested.gateway().hop()).hasToString(GATEWAY + ":15008");
                assertThat(nested.gateway().peers())
                        .isEqualTo(Set.of(new Identity("cluster.local", "istio-system", "eastwest")));
                assertThat(nested.authority()).isEqualTo(name + ".example.com:80");
                assertThat(nested.peers()).isEqualTo(Set.of(new Identity("cluster.local", "shop", name)));
            });
        }
    }

    /// A local pod counts as one, an entry as many as its weight says.
    @ParameterizedTest
    @EnumSource(Networks.class)
    void givenLocalPodsToo_thenTheWeightsCount(Networks networks) {
        var mesh = mesh(networks.config(), "IPAddress", GATEWAY);
        mesh.apply(List.of(
                new ManifestChange.Put(
                        Drafts.pod("shop/client").ips("10.0.0.1").captured().manifest()),
                new ManifestChange.Put(Drafts.pod("shop/local")
                        .ips("10.0.0.2")
                        .label("app", "a")
                        .captured()
                        .manifest()),
                new ManifestChange.Put(Drafts.pod("shop/other")
                        .ips("10.0.0.3")
                        .label("app", "b")
                        .captured()
                        .manifest())));
        var store = store(addresses(mesh));
        assertThat(remote(store, "240.0.0.1")).as("12 of 13").isBetween(3550L, 3830L);
        assertThat(remote(store, "240.0.0.2")).as("4 of 5").isBetween(3000L, 3400L);
    }

    private long remote(MeshStore store, String vip) {
        return IntStream.range(0, 4000)
                .filter(_ -> call(store, vip) instanceof OutboundDecision.NestedTunnel)
                .count();
    }
}
