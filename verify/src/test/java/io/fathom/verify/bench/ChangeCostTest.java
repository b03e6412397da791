// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.envoy.EnvoyMesh;
import io.fathom.control.envoy.FormerWaypoints;
import io.fathom.wire.xds.AdsConfig;
import io.fathom.wire.xds.AdsServer;
import io.fathom.wire.xds.XdsObserver;
import io.fathom.wire.xds.store.ResourceStore;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.assertj.core.data.Percentage;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What the change of one pod costs is counted, and it is the same in a small mesh and in a large one: rows derived,
/// resources and bytes encoded, responses and bytes sent.
///
/// `-Dfathom.pods=1000000` makes the large one larger; it needs `-Xmx6g` then.
@Tag("slow")
class ChangeCostTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int SMALL = 1_000;
    private static final int LARGE = Integer.getInteger("fathom.pods", 50_000);
    private static final int PODS_OF_A_SERVICE = 10;
    private static final int STREAMS = 4;
    private static final int CHANGES = 20;

    /// What the server sends.
    private static final class Pushes implements XdsObserver {
        private final LongAdder responses = new LongAdder();
        private final LongAdder resources = new LongAdder();
        private final LongAdder bytes = new LongAdder();

        @Override
        public void pushed(Push push) {
            responses.increment();
            resources.add(push.resources());
            bytes.add(push.bytes());
        }

        void reset() {
            responses.reset();
            resources.reset();
            bytes.reset();
        }
    }

    /// Of [#CHANGES] changes together.
    private record Cost(long derived, long encoded, long encodedBytes, long responses, long sent, long sentBytes) {}

    @Test
    void givenAMeshOfAnySize_whenOnePodChanges_thenItCostsTheSame() throws Exception {
        var small = cost(SMALL);
        var large = cost(LARGE);
        System.out.printf("%d changes: %,d pods %s; %,d pods %s%n", CHANGES, SMALL, small, LARGE, large);

        assertThat(large.derived).isEqualTo(small.derived).isLessThanOrEqualTo(CHANGES * 12L);
        assertThat(large.encoded).isEqualTo(small.encoded).isEqualTo(CHANGES);
        assertThat(large.sent).isEqualTo(small.sent).isEqualTo((long) CHANGES * STREAMS);
        assertThat(large.responses).isEqualTo(small.responses).isEqualTo((long) CHANGES * STREAMS);
        // Names and addresses have more digits there.
        assertThat(large.encodedBytes).isCloseTo(small.encodedBytes, Percentage.withPercentage(10));
        assertThat(large.sentBytes).isCloseTo(small.sentBytes, Percentage.withPercentage(10));
    }

    private static Cost cost(int pods) throws Exception {
        var manifests = new LargeMesh(pods, pods / PODS_OF_A_SERVICE);
        var mesh = new AmbientMesh(
                AmbientConfig.defaults(),
                flow -> new EnvoyMesh(flow, InstantSource.system(), FormerWaypoints.Keeping.UNTIL_FORGOTTEN));
        var store = new ResourceStore(InstantSource.system());
        var publisher = new Publisher(mesh, store);
        mesh.subscribe(publisher);
        mesh.apply(manifests.manifests());
        var pushes = new Pushes();
        var config = AdsConfig.DEFAULT.withHost("127.0.0.1").withPlaintextPort(0);
        try (var server = AdsServer.start(config, store, pushes, InstantSource.system())) {
            var all = pods + pods / PODS_OF_A_SERVICE;
            var port = server.plaintextPort().orElseThrow();
            var streams = new ArrayList<RawStream>();
            try {
                IntStream.range(0, STREAMS).forEach(i -> streams.add(RawStream.open(port, i, (_, _) -> {})));
                await(streams, all);
                var derived = mesh.derivations();
                publisher.encoded().reset();
                publisher.bytes().reset();
                pushes.reset();
                for (var change = 0; change < CHANGES; change++) {
                    mesh.apply(List.of(manifests.change(change * (pods / CHANGES), 1_000_000_000L + change)));
                    await(streams, all + change + 1); // one response for each change
                }
                return new Cost(
                        mesh.derivations() - derived,
                        publisher.encoded().sum(),
                        publisher.bytes().sum(),
                        pushes.responses.sum(),
                        pushes.resources.sum(),
                        pushes.bytes.sum());
            } finally {
                streams.forEach(RawStream::close);
            }
        }
    }

    private static void await(List<RawStream> streams, long resources) {
        Awaitility.await()
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(2))
                .until(() -> streams.stream().allMatch(stream -> stream.resources() >= resources));
    }
}
