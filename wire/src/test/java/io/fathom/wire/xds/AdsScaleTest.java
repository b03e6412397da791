// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds;

import static io.fathom.wire.xds.AdsClient.first;
import static io.fathom.wire.xds.Fixture.addresses;
import static io.fathom.wire.xds.Fixture.pod;
import static io.fathom.wire.xds.store.XdsType.ADDRESS;
import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.service.discovery.v3.AggregatedDiscoveryServiceGrpc;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryRequest;
import io.fathom.wire.xds.store.ResourceBatch;
import io.fathom.wire.xds.store.ResourceStore;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.ProtoUtils;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Large numbers on one machine. The figures printed are for people; only what must hold everywhere is asserted.
@Tag("slow")
@Timeout(120)
class AdsScaleTest {
    private static final int STREAMS = 200;
    private static final int CHANGES = Integer.getInteger("fathom.changes", 300);

    private final ResourceStore store = new ResourceStore(InstantSource.system());
    private final AdsServer server = AdsServer.start(
            AdsConfig.DEFAULT.withHost("127.0.0.1").withPlaintextPort(0),
            store,
            XdsObserver.NONE,
            InstantSource.system());
    private final int port = server.plaintextPort().orElseThrow();

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void givenMillionRetainedNames_whenReconnecting_thenAnsweredSoon() throws Exception {
        var batch = new ResourceBatch();
        for (int i = 0; i < 1_000; i++) {
            batch.put(ADDRESS, pod("pod-" + i, "10.0.0.1"));
        }
        store.publish(batch);
        var request = first(ADDRESS);
        for (int i = 0; i < 1_000_000; i++) {
            request.putInitialResourceVersions(
                    "Kubernetes//Pod/namespace-of-an-application/deployment-7d4b9c6f5d-" + i, "89abcdef01234567");
        }
        var message = request.build();
        try (var client = AdsClient.connect(port);
                var other = AdsClient.connect(port)) {
            other.subscribe(ADDRESS);
            assertThat(other.take().getResourcesCount()).isEqualTo(1_000);
            var started = System.nanoTime();
            client.send(message);
            var removed = 0;
            while (removed < 1_000_000) {
                removed += client.take().getRemovedResourcesCount();
            }
            var seconds = (System.nanoTime() - started) / 1e9;
            System.out.printf(
                    "1,000,000 retained names, %d MB: answered in %.2f s%n",
                    message.getSerializedSize() / 1_000_000, seconds);
            assertThat(seconds).isLessThan(30);
            store.publish(addresses(pod("pod-1", "10.0.0.2")));
            assertThat(Fixture.names(other.take())).hasSize(1);
        }
    }

    @Test
    void givenManyStreams_whenChangesComeSteadily_thenEachReachesAllSoon() throws Exception {
        store.publish(addresses(pod("p", "10.0.0.1")));
        var arrivals = new Semaphore(0);
        var latencies = new long[STREAMS * (CHANGES + 1)];
        var published = new long[CHANGES + 2];
        var channels = new ArrayList<io.grpc.ManagedChannel>();
        var connected = new CountDownLatch(STREAMS);
        for (int i = 0; i < STREAMS; i++) {
            var channel = NettyChannelBuilder.forAddress("127.0.0.1", port)
                    .usePlaintext()
                    .directExecutor()
                    .build();
            channels.add(channel);
            listen(channel, i, connected, arrivals, latencies, published);
        }
        assertThat(connected.await(60, TimeUnit.SECONDS)).isTrue();
        var cpu = cpuTime();
        var start = System.nanoTime();
        for (int change = 1; change <= CHANGES; change++) {
            var due = start + TimeUnit.MILLISECONDS.toNanos(10L * change);
            while (System.nanoTime() < due) {
                LockSupport.parkNanos(due - System.nanoTime());
            }
            published[change] = System.nanoTime();
            store.publish(addresses(pod("p", "10.0.0.1", "n", "change " + change)));
            assertThat(arrivals.tryAcquire(STREAMS, 10, TimeUnit.SECONDS)).isTrue();
        }
        var perDelivery = (cpuTime() - cpu) / 1e3 / STREAMS / CHANGES;
        channels.forEach(io.grpc.ManagedChannel::shutdownNow);
        var sorted =
                Arrays.stream(latencies).filter(value -> value > 0).sorted().toArray();
        System.out.printf(
                "%d streams, 100 changes/s: %d deliveries, p50 %.2f ms, p99 %.2f ms, max %.2f ms, both sides %.1f us of CPU each%n",
                STREAMS,
                sorted.length,
                sorted[sorted.length / 2] / 1e6,
                sorted[(int) (sorted.length * 0.99)] / 1e6,
                sorted[sorted.length - 1] / 1e6,
                perDelivery);
        assertThat(sorted).hasSize(STREAMS * CHANGES);
    }

    private static long cpuTime() {
        return ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .orElse(java.time.Duration.ZERO)
                .toNanos();
    }

    /// A client that only notes when bytes arrive, so that the server is what is measured.
    private static void listen(
            io.grpc.ManagedChannel channel,
            int number,
            CountDownLatch connected,
            Semaphore arrivals,
            long[] latencies,
            long[] published) {
        var method = AggregatedDiscoveryServiceGrpc.getDeltaAggregatedResourcesMethod().toBuilder(
                        ProtoUtils.marshaller(DeltaDiscoveryRequest.getDefaultInstance()), new Discarding())
                .build();
        var call = channel.newCall(method, CallOptions.DEFAULT);
        call.start(
                new ClientCall.Listener<>() {
                    private int received;

                    @Override
                    public void onMessage(Integer size) {
                        if (received == 0) {
                            connected.countDown();
                        } else {
                            latencies[number * (CHANGES + 1) + received] = System.nanoTime() - published[received];
                            arrivals.release();
                        }
                        received++;
                        call.request(1);
                    }
                },
                new Metadata());
        call.request(1);
        call.sendMessage(first(ADDRESS).build());
    }

    private static final class Discarding implements MethodDescriptor.Marshaller<Integer> {
        @Override
        public InputStream stream(Integer value) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Integer parse(InputStream stream) {
            try {
                return (int) stream.skip(Integer.MAX_VALUE);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
