// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.debug;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.envoyproxy.envoy.admin.v3.ClustersConfigDump;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.core.v3.DataSource;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.Secret;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.TlsCertificate;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.envoyproxy.envoy.service.status.v3.ClientConfig;
import io.envoyproxy.envoy.service.status.v3.ConfigStatus;
import io.fathom.wire.xds.store.ResourceBatch;
import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.store.XdsResource;
import io.fathom.wire.xds.store.XdsResponse;
import io.fathom.wire.xds.store.XdsType;
import io.fathom.wire.xds.stream.ClientNode;
import io.fathom.wire.xds.stream.Connection;
import io.fathom.wire.xds.stream.InitialVersions;
import io.fathom.wire.xds.stream.StreamGate;
import io.fathom.wire.xds.stream.StreamRejection;
import io.fathom.wire.xds.stream.StreamTable;
import io.fathom.wire.xds.stream.WatchStatus;
import io.fathom.wire.xds.stream.XdsRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DebugAnswersTest {
    private static final StreamGate.NodeCheck PROVEN = _ -> Optional.empty();

    private final StreamTable streams = new StreamTable();
    private final DebugAnswers answers = new DebugAnswers(streams);
    private final ResourceStore feed = new ResourceStore(InstantSource.fixed(Instant.EPOCH));

    DebugAnswersTest() {
        answers.use(new DebugPages() {
            @Override
            public String identifier() {
                return "{\"ID\":\"us\"}";
            }

            @Override
            public boolean showsAllTo(String namespace) {
                return namespace.equals("istio-system");
            }

            @Override
            public String body(String name) {
                return "page " + name;
            }
        });
        connect("ztunnel~10.0.0.1~a.shop~x", ClientNode.Type.ZTUNNEL, "a.shop", Map.of("CLUSTER_ID", "c1"));
        connect("ztunnel~10.0.0.2~b.other~x", ClientNode.Type.ZTUNNEL, "b.other", Map.of());
        connect("waypoint~10.0.0.4~w.shop~x", ClientNode.Type.WAYPOINT, "w.shop", Map.of("NAMESPACE", "shop"));
        connect("sidecar~10.0.0.3~c.istio-system~x", ClientNode.Type.SIDECAR, "c", Map.of("GENERATOR", "event"));
    }

    @Test
    void givenTheSystemNamespace_thenEveryProxyIsListedWithItsState() throws Exception {
        var response = parsed(answers.answer(request("istio.io/debug/syncz"), client("istio-system"), PROVEN));
        assertThat(response.getTypeUrl()).isEqualTo("istio.io/debug/syncz");
        assertThat(response.getControlPlane().getIdentifier()).isEqualTo("{\"ID\":\"us\"}");
        assertThat(response.getResourcesList()).as("not those who ask").hasSize(3);
        var row = response.getResources(0).unpack(ClientConfig.class);
        assertThat(row.getNode().getId()).contains("a.shop");
        assertThat(row.getNode().getMetadata().getFieldsOrThrow("CLUSTER_ID").getStringValue())
                .isEqualTo("c1");
        assertThat(row.getGenericXdsConfigs(0).getConfigStatus()).isEqualTo(ConfigStatus.NOT_SENT);
        assertThat(row.getGenericXdsConfigs(0).getTypeUrl()).isEqualTo(XdsType.ADDRESS.url());
    }

    @Test
    void givenAnotherNamespace_thenOnlyItsOwnProxiesAndNoPages() throws Exception {
        var response = parsed(answers.answer(request("istio.io/debug/syncz"), client("shop"), PROVEN));
        assertThat(response.getResourcesList()).hasSize(2);
        assertThatThrownBy(() -> answers.answer(request("istio.io/debug", "list"), client("shop"), PROVEN))
                .isInstanceOf(StreamRejection.class)
                .hasMessageContaining("namespace of the control plane");
    }

    @Test
    void givenAPage_thenItsTextComesAsItIs() throws Exception {
        var response = parsed(answers.answer(request("istio.io/debug", "adsz?x=1"), client("istio-system"), PROVEN));
        assertThat(response.getResources(0).getTypeUrl()).isEqualTo("istio.io/debug");
        assertThat(response.getResources(0).getValue().toStringUtf8()).isEqualTo("page adsz?x=1");
        assertThatThrownBy(() -> answers.answer(request("istio.io/debug"), client("istio-system"), PROVEN))
                .isInstanceOf(StreamRejection.class);
    }

    @Test
    void givenAnEnvoy_thenItsConfigurationComesInTheShapeOfItsDump() throws Exception {
        var key = Secret.newBuilder()
                .setName("edge")
                .setTlsCertificate(TlsCertificate.newBuilder()
                        .setPrivateKey(DataSource.newBuilder().setInlineString("secret of secrets")))
                .build();
        feed.publish(new ResourceBatch()
                .put(
                        XdsType.CLUSTER,
                        XdsResource.of(
                                "web", Cluster.newBuilder().setName("web").build()))
                .put(XdsType.SECRET, XdsResource.of("edge", key)));

        var response = parsed(answers.answer(request("istio.io/debug/config_dump", "w.shop"), client("shop"), PROVEN));

        assertThat(response.getResources(1)
                        .unpack(ClustersConfigDump.class)
                        .getDynamicActiveClusters(0)
                        .getCluster()
                        .unpack(Cluster.class)
                        .getName())
                .isEqualTo("web");
        assertThat(response.toString()).contains("[redacted]").doesNotContain("secret of secrets");
        assertThatThrownBy(
                        () -> answers.answer(request("istio.io/debug/config_dump", "w.shop"), client("other"), PROVEN))
                .isInstanceOf(StreamRejection.class)
                .hasMessageContaining("its own namespace");
        assertThatThrownBy(() -> answers.answer(request("istio.io/debug/config_dump"), client("shop"), PROVEN))
                .isInstanceOf(StreamRejection.class)
                .hasMessageContaining("pod.namespace");
        assertThat(parsed(answers.answer(request("istio.io/debug/config_dump", "gone.shop"), client("shop"), PROVEN))
                        .getResources(0)
                        .getValue()
                        .toStringUtf8())
                .contains("not connected to this Pilot instance");
    }

    @Test
    void givenAClientThatProvedNothing_thenItIsRefused() {
        assertThatThrownBy(() -> answers.answer(
                        request("istio.io/debug/syncz"), client("istio-system"), StreamGate.NodeCheck.NONE))
                .isInstanceOfSatisfying(
                        StreamRejection.class,
                        e -> assertThat(e.code()).isEqualTo(StreamRejection.Code.UNAUTHENTICATED));
    }

    private void connect(String id, ClientNode.Type type, String proxy, Map<String, String> metadata) {
        var node = new ClientNode(id, type, "", proxy, "", metadata, Map.of());
        streams.add(
                id,
                () -> new Connection(
                        proxy + "-1",
                        node,
                        Connection.Protocol.DELTA,
                        "",
                        Instant.EPOCH,
                        List.of(WatchStatus.of(XdsType.ADDRESS)),
                        type == ClientNode.Type.WAYPOINT ? Optional.of(feed) : Optional.empty()));
    }

    private static ClientNode client(String namespace) {
        return new ClientNode(
                "sidecar~1~test.x~x",
                ClientNode.Type.SIDECAR,
                "",
                "test.x",
                "",
                Map.of("NAMESPACE", namespace),
                Map.of());
    }

    /// With a nonce of its own making, as istioctl sends it.
    private static XdsRequest request(String type, String... names) {
        return new XdsRequest(
                Optional.empty(),
                new XdsType(type),
                List.of(names),
                List.of(),
                InitialVersions.NONE,
                "made-up",
                Optional.empty(),
                0);
    }

    private static DiscoveryResponse parsed(XdsResponse response) throws IOException {
        var bytes = new ByteArrayOutputStream();
        response.body().writeTo(bytes);
        return DiscoveryResponse.parseFrom(bytes.toByteArray());
    }
}
