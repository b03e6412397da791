// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Message;
import com.google.rpc.Status;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.fathom.wire.xds.store.XdsType;
import io.fathom.wire.xds.stream.ClientNode;
import io.fathom.wire.xds.stream.StreamRejection;
import io.fathom.wire.xds.stream.XdsRequest;
import java.io.ByteArrayInputStream;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestDecoderTest {
    @Test
    void givenDeltaRequest_thenEveryFieldIsRead() {
        var request = delta(DeltaDiscoveryRequest.newBuilder()
                .setNode(Fixture.nodeMessage("node-a"))
                .setTypeUrl("type")
                .addResourceNamesSubscribe("a")
                .addResourceNamesSubscribe("b")
                .addResourceNamesUnsubscribe("c")
                .putInitialResourceVersions("d", "1f")
                .putInitialResourceVersions("e", "")
                .setResponseNonce("nonce")
                .setErrorDetail(Status.newBuilder().setCode(3).setMessage("bad"))
                .build());

        assertThat(ClientNode.parse(request.node().orElseThrow()).nodeName()).isEqualTo("node-a");
        assertThat(request.type()).isEqualTo(new XdsType("type"));
        assertThat(request.subscribe()).containsExactly("a", "b");
        assertThat(request.unsubscribe()).containsExactly("c");
        assertThat(request.initial().byName()).containsEntry("d", 0x1fL).containsKey("e");
        assertThat(request.nonce()).isEqualTo("nonce");
        assertThat(request.error()).contains("bad");
    }

    @Test
    void givenStateOfTheWorldRequest_thenEveryFieldIsRead() {
        var bytes = DiscoveryRequest.newBuilder()
                .setVersionInfo("7")
                .setNode(Fixture.nodeMessage("node-a"))
                .setTypeUrl("type")
                .addResourceNames("a")
                .setResponseNonce("nonce")
                .setErrorDetail(Status.newBuilder().setMessage("bad"))
                .build()
                .toByteArray();
        var request = RequestDecoder.stateOfTheWorld(new ByteArrayInputStream(bytes), bytes.length, 10);

        assertThat(request.node()).isPresent();
        assertThat(request.type()).isEqualTo(new XdsType("type"));
        assertThat(request.subscribe()).containsExactly("a");
        assertThat(request.nonce()).isEqualTo("nonce");
        assertThat(request.error()).contains("bad");
        assertThat(request.size()).isEqualTo(bytes.length);
    }

    @Test
    void givenTooManyNames_thenRejected() {
        var builder = DeltaDiscoveryRequest.newBuilder();
        for (int i = 0; i < 101; i++) {
            builder.putInitialResourceVersions("name-" + i, "1");
        }
        assertThatThrownBy(() -> delta(builder.build()))
                .isInstanceOf(StreamRejection.class)
                .hasMessageContaining("at most 100");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    @Timeout(value = 30, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void givenMutatedBytes_thenRequestOrRejection(long seed) {
        var random = new Random(seed);
        var valid = DeltaDiscoveryRequest.newBuilder()
                .setNode(Fixture.nodeMessage("node-a"))
                .setTypeUrl("type")
                .addResourceNamesSubscribe("a")
                .putInitialResourceVersions("d", "1f")
                .setErrorDetail(Status.newBuilder().setMessage("bad"))
                .build()
                .toByteArray();
        for (int i = 0; i < 20_000; i++) {
            var bytes = valid.clone();
            for (int j = random.nextInt(4); j >= 0; j--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }
            try {
                var request = random.nextBoolean()
                        ? RequestDecoder.delta(new ByteArrayInputStream(bytes), bytes.length, 100)
                        : RequestDecoder.stateOfTheWorld(new ByteArrayInputStream(bytes), bytes.length, 100);
                request.node().ifPresent(ClientNode::parse);
            } catch (StreamRejection e) {
                assertThat(e.reason()).isNotEmpty();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "ztunnel~10.0.0.1~a.b",
                "ztunnel~10.0.0.1~a.b~c~d",
                "toaster~10.0.0.1~a.b~b.svc.cluster.local"
            })
    void givenBadNodeId_thenRejected_case93(String id) {
        var node =
                io.envoyproxy.envoy.config.core.v3.Node.newBuilder().setId(id).build();
        assertThatThrownBy(() -> ClientNode.parse(node.toByteString()))
                .isInstanceOf(StreamRejection.class)
                .satisfies(
                        e -> assertThat(((StreamRejection) e).code()).isEqualTo(StreamRejection.Code.INVALID_ARGUMENT));
    }

    private static XdsRequest delta(Message message) {
        var bytes = message.toByteArray();
        return RequestDecoder.delta(new ByteArrayInputStream(bytes), bytes.length, 100);
    }
}
