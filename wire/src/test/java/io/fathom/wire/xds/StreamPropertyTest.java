// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds;

import static io.fathom.wire.xds.Fixture.delta;
import static io.fathom.wire.xds.Fixture.request;
import static io.fathom.wire.xds.Fixture.workload;
import static io.fathom.wire.xds.store.XdsType.ADDRESS;
import static io.fathom.wire.xds.store.XdsType.AUTHORIZATION;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import io.fathom.wire.proto.workload.Address;
import io.fathom.wire.xds.store.ResourceBatch;
import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.store.StoreLimits;
import io.fathom.wire.xds.store.StreamLimits;
import io.fathom.wire.xds.store.XdsResponse;
import io.fathom.wire.xds.store.XdsType;
import io.fathom.wire.xds.stream.DeltaStream;
import io.fathom.wire.xds.stream.InitialVersions;
import io.fathom.wire.xds.stream.StreamRejection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Random batches, clients of random slowness, a log too short for them: every client ends with what is served, and
/// none ever holds a workload whose policy it has not got.
class StreamPropertyTest {
    private static final int CLIENTS = 6;
    private final ManualClock clock = new ManualClock();
    private final ResourceStore store = new ResourceStore(clock, new StoreLimits(4, 40, 30), 2_000);

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void givenAnyHistory_thenClientsEndWithWhatIsServed(long seed) throws InvalidProtocolBufferException {
        var random = new Random(seed);
        var clients = new ArrayList<Client>();
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(new Client(i % 2 == 1));
        }
        for (int step = 0; step < 400; step++) {
            publish(random);
            for (var client : clients) {
                if (random.nextInt(8) == 0) {
                    client.takeSome(random.nextInt(5));
                }
                if (random.nextInt(60) == 0) {
                    client.connect();
                }
                if (client.named && random.nextInt(10) == 0) {
                    client.ask("/10.0.0." + random.nextInt(30));
                }
            }
        }
        for (var client : clients) {
            client.takeSome(Integer.MAX_VALUE);
            client.check();
        }
    }

    private void publish(Random random) {
        var batch = new ResourceBatch();
        var policies = store.head().resources(AUTHORIZATION);
        var named = new HashSet<String>();
        store.head().resources(ADDRESS).forEach((_, resource) -> named.addAll(policiesOf(resource.body())));
        for (int i = random.nextInt(4); i >= 0; i--) {
            var uid = "uid-" + random.nextInt(30);
            var policy = "ns/p" + random.nextInt(10);
            if (random.nextInt(3) == 0) {
                batch.remove(ADDRESS, uid);
            } else {
                batch.put(AUTHORIZATION, Fixture.policy(policy, "" + random.nextInt(3)));
                batch.put(
                        ADDRESS,
                        workload(
                                uid,
                                List.of("/10.0.0." + random.nextInt(30)),
                                "n" + random.nextInt(3),
                                "" + random.nextInt(100),
                                List.of(policy)));
                named.add(policy);
            }
        }
        policies.forEach((name, _) -> {
            if (!named.contains(name)) {
                batch.remove(AUTHORIZATION, name);
            }
        });
        store.publish(batch);
    }

    private static List<String> policiesOf(byte[] body) {
        try {
            return Address.parseFrom(body).getWorkload().getAuthorizationPoliciesList();
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
    }

    private final class Client {
        private final boolean named;
        private final Map<String, String> addresses = new HashMap<>();
        private final Map<String, byte[]> bodies = new HashMap<>();
        private final Map<String, String> policies = new HashMap<>();
        private final Set<String> asked = new HashSet<>();
        private DeltaStream stream;

        Client(boolean named) {
            this.named = named;
            this.stream = connect();
        }

        DeltaStream connect() {
            stream = new DeltaStream(Fixture.client("n1"), store, StreamLimits.DEFAULT, clock);
            var all = named ? List.of("*") : List.<String>of();
            stream.receive(request(AUTHORIZATION, List.of(), List.of(), versions(policies)));
            var known = versions(addresses);
            asked.forEach(name -> known.add(name, ""));
            stream.receive(request(ADDRESS, all, all, known));
            return stream;
        }

        void ask(String name) {
            asked.add(name);
            stream.receive(request(ADDRESS, List.of(name), List.of()));
        }

        void takeSome(int most) throws InvalidProtocolBufferException {
            for (int i = 0; i < most; i++) {
                try {
                    var next = stream.next();
                    if (next.isEmpty()) {
                        return;
                    }
                    take(next.get());
                } catch (StreamRejection e) {
                    assertThat(e.code()).isEqualTo(StreamRejection.Code.UNAVAILABLE);
                    connect();
                }
            }
        }

        private void take(XdsResponse response) throws InvalidProtocolBufferException {
            var message = delta(response);
            var held = response.type().equals(ADDRESS) ? addresses : policies;
            for (var resource : message.getResourcesList()) {
                held.put(resource.getName(), resource.getVersion());
                if (response.type().equals(ADDRESS)) {
                    bodies.put(
                            resource.getName(),
                            resource.getResource().getValue().toByteArray());
                }
            }
            message.getRemovedResourcesList().forEach(held::remove);
            addresses
                    .keySet()
                    .forEach(uid -> assertThat(policies.keySet())
                            .as("policies when holding %s", uid)
                            .containsAll(policiesOf(bodies.getOrDefault(uid, new byte[0]))));
        }

        void check() {
            assertThat(policies).isEqualTo(served(AUTHORIZATION));
            var served = served(ADDRESS);
            if (!named) {
                assertThat(addresses).isEqualTo(served);
                return;
            }
            assertThat(served).containsAllEntriesOf(addresses);
            store.head().resources(ADDRESS).forEach((name, resource) -> {
                if (resource.links().contains("n1")
                        || resource.aliases().stream().anyMatch(asked::contains)) {
                    assertThat(addresses).containsKey(name);
                }
            });
        }

        private static InitialVersions versions(Map<String, String> held) {
            var versions = new InitialVersions();
            held.forEach(versions::add);
            return versions;
        }

        private Map<String, String> served(XdsType type) {
            var served = new HashMap<String, String>();
            store.head().resources(type).forEach((name, resource) -> served.put(name, resource.version()));
            return served;
        }
    }
}
