// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.client;

import static io.fathom.wire.xds.client.Meshes.NODE;
import static io.fathom.wire.xds.client.Meshes.POD;
import static io.fathom.wire.xds.client.Meshes.pod;
import static io.fathom.wire.xds.client.Meshes.policy;
import static io.fathom.wire.xds.client.Meshes.resource;
import static io.fathom.wire.xds.client.Meshes.response;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryResponse;
import io.envoyproxy.envoy.service.discovery.v3.Resource;
import io.fathom.model.mesh.Workload;
import io.fathom.model.routing.MeshDelta;
import io.fathom.model.routing.MeshStore;
import io.fathom.wire.proto.workload.Address;
import io.fathom.wire.proto.workload.LoadBalancing;
import io.fathom.wire.proto.workload.NetworkAddress;
import io.fathom.wire.proto.workload.TunnelProtocol;
import io.fathom.wire.workload.AddressCodec;
import io.fathom.wire.xds.store.XdsType;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// What a client says, without a server: cases 20, 26, 27 and 73 to 77 of the fact sheet.
class DeltaProtocolTest {
    private final MeshStore store = new MeshStore(Optional.empty());
    private final List<MeshDelta> applied = new ArrayList<>();
    private final DeltaProtocol protocol = new DeltaProtocol(NODE, XdsClientConfig.Scope.ALL);

    @Test
    void whenAStreamOpens_thenBothTypesAreAskedForWhole() {
        var requests = protocol.open();
        assertThat(requests)
                .extracting(DeltaDiscoveryRequest::getTypeUrl)
                .containsExactly(XdsType.AUTHORIZATION.url(), XdsType.ADDRESS.url(), XdsType.SECRET.url());
        assertThat(requests.getLast().getResourceNamesSubscribeList()).containsExactly("mesh-trust");
        assertThat(requests.subList(0, 2)).allSatisfy(request -> {
            assertThat(request.getNode().getId())
                    .isEqualTo("ztunnel~10.0.0.9~ztunnel-x.istio-system~istio-system.svc.cluster.local");
            assertThat(request.getResourceNamesSubscribeList()).isEmpty();
            assertThat(request.getResourceNamesUnsubscribeList()).isEmpty();
            assertThat(request.getInitialResourceVersionsMap()).isEmpty();
        });
    }

    @Test
    void givenValidResources_thenAppliedAndAcknowledged() {
        var receipt = receive(response(XdsType.ADDRESS, "n1", resource(pod("a", "10.0.0.1"))));
        assertThat(store.view().workload(POD + "a")).isPresent();
        assertThat(receipt.answer())
                .isEqualTo(DeltaDiscoveryRequest.newBuilder()
                        .setTypeUrl(XdsType.ADDRESS.url())
                        .setResponseNonce("n1")
                        .build());
        assertThat(protocol.statuses().get(XdsType.ADDRESS.url()))
                .isEqualTo(new TypeStatus("system-n1", "n1", 1, 0, Optional.empty()));
    }

    @Test
    void givenOneBadResource_thenOnlyThatIsRejectedAndNamed_case26() {
        var receipt = receive(response(
                XdsType.ADDRESS,
                "n1",
                resource(pod("a", "10.0.0.1")),
                badIp("bad", 9),
                badIp("worse", 0),
                resource(pod("b", "10.0.0.2"))));
        assertThat(store.view().workloadCount()).isEqualTo(2);
        assertThat(receipt.answer().getResponseNonce()).isEqualTo("n1");
        assertThat(receipt.answer().getErrorDetail().getMessage()).matches("bad: .*9 bytes.*; worse: .*0 bytes.*");
    }

    @Test
    void givenWhatANodeProxyCannotHonour_thenRejected() {
        var legacy = Address.newBuilder();
        legacy.getWorkloadBuilder().setUid("legacy").setTunnelProtocol(TunnelProtocol.LEGACY_ISTIO_MTLS);
        var unknown = Address.newBuilder();
        unknown.getWorkloadBuilder().setUid("unknown").setTunnelProtocolValue(77);
        var membership = Address.newBuilder();
        membership
                .getWorkloadBuilder()
                .setUid("membership")
                .putServices("no-slash", io.fathom.wire.proto.workload.PortList.getDefaultInstance());
        var gateway = Address.newBuilder();
        gateway.getWorkloadBuilder().setUid("gateway").getWaypointBuilder().setHboneMtlsPort(1);
        var scope = Address.newBuilder();
        scope.getServiceBuilder()
                .setNamespace("n")
                .setHostname("scope")
                .getLoadBalancingBuilder()
                .addRoutingPreference(LoadBalancing.Scope.UNSPECIFIED_SCOPE);
        var prefix = Address.newBuilder();
        prefix.getServiceBuilder()
                .setNamespace("n")
                .setHostname("prefix")
                .addAddresses(NetworkAddress.newBuilder()
                        .setAddress(ByteString.copyFrom(new byte[4]))
                        .setLength(33));
        var misnamed = Address.newBuilder();
        misnamed.getWorkloadBuilder().setUid("somebody else");
        var receipt = receive(response(
                XdsType.ADDRESS,
                "n1",
                raw("legacy", legacy),
                raw("unknown", unknown),
                raw("membership", membership),
                raw("gateway", gateway),
                raw("n/scope", scope),
                raw("n/prefix", prefix),
                raw("misnamed", misnamed)));
        assertThat(applied).isEmpty();
        assertThat(receipt.answer().getErrorDetail().getMessage().split("; "))
                .extracting(line -> line.substring(0, line.indexOf(':')))
                .containsExactly("legacy", "unknown", "membership", "gateway", "n/scope", "n/prefix", "misnamed");
    }

    @Test
    void givenValuesOfTomorrowThatHardlyMatter_thenTolerated() {
        var workload = Address.newBuilder();
        workload.getWorkloadBuilder().setUid("w").setWorkloadTypeValue(99);
        var service = Address.newBuilder();
        service.getServiceBuilder()
                .setNamespace("n")
                .setHostname("s")
                .setVisibilityValue(99)
                .addPortsBuilder()
                .setServicePort(0x1_0050)
                .setTargetPort(80);
        var receipt = receive(response(XdsType.ADDRESS, "n1", raw("w", workload), raw("n/s", service)));
        assertThat(receipt.rejections()).isEmpty();
        assertThat(store.view().workload("w").orElseThrow().type()).isEqualTo(Workload.Type.DEPLOYMENT);
        assertThat(store.view().service("n/s").orElseThrow().ports())
                .singleElement()
                .satisfies(port -> assertThat(port.servicePort()).isEqualTo(0x50));
    }

    @Test
    void givenARejectedUpdate_thenTheOldCopyStaysInForceAndIsStillTold() {
        receive(response(XdsType.ADDRESS, "n1", resource(pod("a", "10.0.0.1"))));
        receive(response(XdsType.ADDRESS, "n2", badIp(POD + "a", 3)));
        assertThat(store.view().workload(POD + "a")).isPresent();
        assertThat(initial(XdsType.ADDRESS))
                .containsEntry(
                        POD + "a", AddressCodec.resource(pod("a", "10.0.0.1")).version());
    }

    @Test
    void whenReconnecting_thenHeldVersionsAreTold_notRejectedOnes_case76() {
        receive(response(XdsType.ADDRESS, "n1", resource(pod("a", "10.0.0.1")), badIp("bad", 3)));
        receive(response(XdsType.AUTHORIZATION, "n2", resource(policy("p"))));
        receive(response(XdsType.ADDRESS, "n3", resource(pod("b", "10.0.0.2"))));
        receive(response(XdsType.ADDRESS, "n4").addRemovedResources(POD + "a"));
        assertThat(initial(XdsType.ADDRESS)).containsOnlyKeys(POD + "b");
        assertThat(initial(XdsType.AUTHORIZATION)).containsOnlyKeys("default/p");
        assertThat(store.view().workload(POD + "a")).isEmpty();
    }

    @Test
    void givenANameThatIsRemovedAndPut_thenItIsPut_case27() {
        receive(response(XdsType.ADDRESS, "n1", resource(pod("a", "10.0.0.1"))));
        receive(response(XdsType.ADDRESS, "n2", resource(pod("a", "10.0.0.2"))).addRemovedResources(POD + "a"));
        assertThat(store.view().workload(POD + "a")).contains(pod("a", "10.0.0.2"));
        assertThat(initial(XdsType.ADDRESS)).containsKey(POD + "a");
    }

    @Test
    void givenRemovalsOfWhatIsNotHeld_thenTheMeshHearsNothing() {
        receive(response(XdsType.ADDRESS, "n1").addRemovedResources("unknown"));
        assertThat(applied).isEmpty();
    }

    @Test
    void givenAnUnknownType_thenAcknowledgedAndIgnored() {
        var receipt = receive(DeltaDiscoveryResponse.newBuilder()
                .setTypeUrl("type/x")
                .setNonce("n")
                .addResources(Resource.newBuilder()
                        .setName("x")
                        .setResource(Any.newBuilder().setTypeUrl("type/x"))));
        assertThat(receipt.answer().hasErrorDetail()).isFalse();
        assertThat(receipt.answer().getTypeUrl()).isEqualTo("type/x");
        assertThat(applied).isEmpty();
    }

    @Test
    void givenBothTypes_whenEachWasAcknowledgedOnce_thenReady_case73() {
        assertThat(protocol.isReady()).isFalse();
        receive(response(XdsType.AUTHORIZATION, "n1"));
        assertThat(protocol.isReady()).isFalse();
        receive(response(XdsType.ADDRESS, "n2", badIp("bad", 3)));
        assertThat(protocol.isReady()).as("a refused answer does not count").isFalse();
        receive(response(XdsType.ADDRESS, "n3"));
        assertThat(protocol.isReady()).isTrue();
    }

    @Test
    void givenAFirstAnswerWithTheWholeMesh_thenItComesInPieces_andLaterOnesAsAWhole() {
        var first = response(XdsType.ADDRESS, "n1");
        var second = response(XdsType.ADDRESS, "n2");
        for (int i = 0; i < 10_000; i++) {
            first.addResources(resource(pod("p" + i, "10.1." + i / 250 + "." + i % 250)));
            second.addResources(resource(pod("p" + i, "10.2." + i / 250 + "." + i % 250)));
        }
        receive(first);
        assertThat(applied).hasSize(3);
        assertThat(store.view().workloadCount()).isEqualTo(10_000);
        applied.clear();
        receive(second);
        assertThat(applied).hasSize(1);
        assertThat(initial(XdsType.ADDRESS)).hasSize(10_000);
    }

    @Test
    void givenAResponseThatIsNoMessage_thenTheStreamIsOfNoUse() {
        for (var bytes : new byte[][] {{18, 100, 1}, {15}, {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1}}) {
            assertThatThrownBy(() -> {
                        var exchange = protocol.begin(applied::add, _ -> {});
                        exchange.feed(Unpooled.wrappedBuffer(bytes));
                        exchange.finish();
                    })
                    .isInstanceOf(IOException.class);
        }
        assertThat(receive(DeltaDiscoveryResponse.newBuilder()
                                .setTypeUrl(XdsType.ADDRESS.url())
                                .setNonce("n"))
                        .answer()
                        .hasErrorDetail())
                .isFalse();
    }

    @Test
    void givenAnIpOf4Or16Bytes_thenAccepted_case20() {
        assertThat(receive(response(XdsType.ADDRESS, "n", badIp("four", 4), badIp("sixteen", 16)))
                        .rejections())
                .isEmpty();
    }

    @Test
    void weaknessP_givenAPolicyWithARangeThatIsNone_thenItIsRefusedAsAWholeAndTheOldOneHolds() {
        receive(response(XdsType.AUTHORIZATION, "n1", resource(policy("p"))));
        var broken = io.fathom.wire.proto.security.Authorization.newBuilder()
                .setName("p")
                .setNamespace("default");
        broken.addGroupsBuilder()
                .addRulesBuilder()
                .addMatchesBuilder()
                .addDestinationPorts(80)
                .addSourceIpsBuilder()
                .setAddress(ByteString.copyFrom(new byte[4]))
                .setLength(33);
        var receipt = receive(response(
                XdsType.AUTHORIZATION,
                "n2",
                Resource.newBuilder()
                        .setName("default/p")
                        .setVersion("2")
                        .setResource(Any.newBuilder()
                                .setTypeUrl(XdsType.AUTHORIZATION.url())
                                .setValue(broken.build().toByteString()))
                        .build()));
        assertThat(receipt.rejections()).contains("default/p", "33");
        assertThat(store.view().policies().all()).singleElement().isEqualTo(policy("p"));
    }

    private java.util.Map<String, String> initial(XdsType type) {
        return protocol.open().stream()
                .filter(request -> request.getTypeUrl().equals(type.url()))
                .findFirst()
                .orElseThrow()
                .getInitialResourceVersionsMap();
    }

    private DeltaProtocol.Receipt receive(DeltaDiscoveryResponse.Builder response) {
        try {
            return Meshes.receive(protocol, response, delta -> {
                applied.add(delta);
                store.apply(delta);
            });
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static Resource badIp(String name, int bytes) {
        var address = Address.newBuilder();
        address.getWorkloadBuilder().setUid(name).addAddresses(ByteString.copyFrom(new byte[bytes]));
        return raw(name, address);
    }

    private static Resource raw(String name, Address.Builder address) {
        return Resource.newBuilder()
                .setName(name)
                .setVersion("1")
                .setResource(Any.newBuilder()
                        .setTypeUrl(XdsType.ADDRESS.url())
                        .setValue(address.build().toByteString()))
                .build();
    }
}
