// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.fleet.simulation;

import io.fathom.model.fleet.Blob;
import io.fathom.model.fleet.FactVersion;
import io.fathom.model.fleet.FleetUp;
import io.fathom.model.fleet.OriginDigest;
import io.fathom.model.fleet.ServiceFact;
import io.fathom.wire.fleet.FleetCodec;
import io.fathom.wire.fleet.ServiceFactCodec;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/// A member whose agent says whatever it likes on its own stream: it has a certificate, so it gets that far.
final class HostileMember {
    private static final Blob NOISE = Blob.copyOf(new byte[] {1, 2, 3, 4, 5});

    private final SimulatedCluster cluster;
    private final SplittableRandom random;
    private int said;
    private FactVersion version = new FactVersion(1_000_000, 1_000_000);

    HostileMember(SimulatedCluster cluster, SplittableRandom random) {
        this.cluster = cluster;
        this.random = random;
    }

    SimulatedCluster cluster() {
        return cluster;
    }

    /// One second of it.
    ///
    /// @param victim whose services and gateway it would like to be
    void act(SimulatedCluster victim) {
        cluster.stream().filter(stream -> !stream.isOver()).ifPresent(stream -> {
            var repeats = random.nextInt(4) == 0 ? 200 : 1; // floods
            for (var i = 0; i < repeats; i++) {
                stream.inject(message(victim));
            }
        });
    }

    private FactVersion next() {
        version = version.next();
        return version;
    }

    private byte[] message(SimulatedCluster victim) {
        return random.nextInt(50) == 0 ? unbearable(victim) : refused(victim);
    }

    /// Ends the stream.
    private byte[] unbearable(SimulatedCluster victim) {
        return switch (random.nextInt(3)) {
            case 0 -> noise(1 + random.nextInt(300));
            case 1 -> {
                var whole = FleetCodec.bytes(claim(victim));
                yield Arrays.copyOf(whole, random.nextInt(whole.length));
            }
            default -> FleetCodec.bytes(new FleetUp.Hello("x", "x", victim.uid(), List.of(), 0, victim.interest));
        };
    }

    /// One after the other.
    private byte[] refused(SimulatedCluster victim) {
        var own = "net-" + cluster.name;
        var host = victim.gateway().candidates().getFirst().host();
        return FleetCodec.bytes(
                switch (said++ % 11) {
                    case 0 -> claim(victim);
                    case 1 -> services(new ServiceFact("ns-0", "../../etc", NOISE, NOISE, 0));
                    case 2 -> services(new ServiceFact("ns-0", "s0", NOISE, NOISE, 0));
                    case 3 -> services(new ServiceFact("x".repeat(5_000), "s0", NOISE, NOISE, -1));
                    case 4 ->
                        new FleetUp.Services(
                                List.of(), List.copyOf(victim.exports.keySet()), FleetUp.ServicePart.DELTA, next());
                    case 5 ->
                        new FleetUp.Services(
                                List.of(), List.of("ns-0/s0"), FleetUp.ServicePart.DELTA, new FactVersion(1, 1));
                    case 6 -> new FleetUp.Weights(List.of(new FleetUp.ServiceWeight(random.nextInt(), NOISE)), next());
                    case 7 -> new FleetUp.Digest(new OriginDigest(0, random.nextInt(), random.nextLong()));
                    case 8 ->
                        new FleetUp.Repair(IntStream.range(0, 100)
                                .map(_ -> random.nextInt(2_000))
                                .boxed()
                                .toList());
                    case 9 -> new FleetUp.Gateways(List.of(cluster.gateway(host, own)), next());
                    default ->
                        new FleetUp.Gateways(List.of(cluster.gateway("10.250.0.1", "net-" + victim.name)), next());
                });
    }

    private byte[] noise(int length) {
        var bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    /// A service by the name of somebody else's. It may have one of that name, too: as its own.
    private FleetUp claim(SimulatedCluster victim) {
        var service = victim.exports.values().iterator().next();
        var own = cluster.service(service.namespace(), service.name(), 1_000, 80);
        cluster.hasSaid(own);
        return services(ServiceFactCodec.fact(own, 0));
    }

    private FleetUp.Services services(ServiceFact fact) {
        return new FleetUp.Services(List.of(fact), List.of(), FleetUp.ServicePart.DELTA, next());
    }
}
