// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonFactory;
import io.fathom.base.lang.SystemTimeline;
import io.fathom.model.mesh.Identity;
import io.fathom.model.routing.MeshDelta;
import io.fathom.node.state.LocalMesh;
import io.fathom.node.state.NodeState;
import io.fathom.node.state.NodeStateConfig;
import io.fathom.node.state.RunningControlPlane;
import io.fathom.wire.ca.CaClient;
import io.fathom.wire.ca.CertificateConnection;
import io.fathom.wire.ca.CertificateOrder;
import io.fathom.wire.xds.client.XdsClientConfig;
import io.fathom.wire.xds.client.XdsClientObserver;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// State and certificates together, from one control plane.
@Timeout(60)
class LocalCertificatesTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    void givenWorkloadsOfThisNode_thenTheirCertificatesArePrefetched_andForgottenWithTheLast_case71() throws Exception {
        try (var control = new RunningControlPlane(folder);
                var timeline = new SystemTimeline();
                var connection = new CertificateConnection(control.server(), Duration.ofSeconds(10));
                var state = NodeState.start(
                        new NodeStateConfig(
                                Optional.of("node-1"),
                                Optional.empty(),
                                Optional.of(control.xds(XdsClientConfig.Scope.ALL))),
                        XdsClientObserver.NONE,
                        timeline);
                var store = LocalCertificates.following(
                        state,
                        Optional.of("node-1"),
                        new CaClient(connection::create, Duration.ofHours(1), CaClient.Speaks.FOR_WORKLOADS),
                        CertificateStore.Config.DEFAULT,
                        timeline)) {
            control.publish("""
                    workloads:
                    - {uid: a-1, name: a-1, namespace: ns, serviceAccount: a, node: node-1, protocol: HBONE}
                    - {uid: a-2, name: a-2, namespace: ns, serviceAccount: a, node: node-1, protocol: HBONE}
                    - {uid: native, name: native, namespace: ns, serviceAccount: native, node: node-1, nativeTunnel: true}
                    - {uid: plain, name: plain, namespace: ns, serviceAccount: plain, node: node-1}
                    - {uid: far, name: far, namespace: ns, serviceAccount: far, node: node-2, protocol: HBONE}
                    """);
            await().untilAsserted(() -> assertThat(store.states())
                    .extracting(CertificateState::text)
                    .containsExactly("Available", "Available"));
            assertThat(control.orders.stream().map(CertificateOrder::impersonatedIdentity))
                    .containsExactlyInAnyOrder(
                            Optional.of("spiffe://cluster.local/ns/ns/sa/a"),
                            Optional.of("spiffe://cluster.local/ns/ns/sa/native"));
            assertThat(store.require(id("far")).get()).isInstanceOf(CertificateAnswer.Missing.class);
            assertThat(store.require(id("plain")).get()).isInstanceOf(CertificateAnswer.Available.class);
            assertThat(dump(store))
                    .contains("\"identity\":\"spiffe://cluster.local/ns/ns/sa/a\",\"state\":\"Available\"")
                    .containsPattern("\"pem\":\"LS0t[^\"]*\",\"serialNumber\":\"[0-9]+\",\"validFrom\":\"[^\"]*Z\"");

            control.publish(MeshDelta.ofAddresses(List.of(), List.of("a-1")));
            await().untilAsserted(() -> assertThat(state.view().workload("a-1")).isEmpty());
            assertThat(store.current(id("a"))).as("one is left").isPresent();
            control.publish(MeshDelta.ofAddresses(List.of(), List.of("a-2")));
            await().untilAsserted(() -> assertThat(store.current(id("a"))).isEmpty());
            assertThat(store.require(id("a")).get()).isInstanceOf(CertificateAnswer.Missing.class);
        }
    }

    @Test
    void givenAWorkloadThatIsRemovedAndPutInOneChange_thenItHasNotLeft() {
        var identities = new LocalIdentities(Optional.of("node-1"));
        var put = LocalMesh.parse(
                "t", "workloads: [{uid: u, name: u, namespace: ns, serviceAccount: a, node: node-1, protocol: HBONE}]");
        assertThat(identities.update(put).needed()).containsExactly(id("a"));
        var both = new MeshDelta(put.addresses(), List.of("u"), List.of(), List.of());
        assertThat(identities.update(both).gone()).isEmpty();
        assertThat(identities.contains(id("a"))).isTrue();

        var moved =
                LocalMesh.parse("t", "workloads: [{uid: u, name: u, namespace: ns, serviceAccount: b, node: node-1}]");
        assertThat(identities.update(moved).gone()).containsExactly(id("a"));
        assertThat(identities.contains(id("b"))).isTrue();
        assertThat(identities
                        .update(MeshDelta.ofAddresses(List.of(), List.of("u")))
                        .gone())
                .containsExactly(id("b"));
    }

    private static Identity id(String account) {
        return new Identity("cluster.local", "ns", account);
    }

    private static String dump(CertificateStore store) throws Exception {
        var text = new StringWriter();
        try (var out = new JsonFactory().createGenerator(text)) {
            out.writeStartObject();
            new CertificateDump(out).write(store.states());
            out.writeEndObject();
        }
        return text.toString();
    }
}
