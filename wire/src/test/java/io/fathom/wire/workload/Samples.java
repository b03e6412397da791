// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.workload;

import io.fathom.model.mesh.AppProtocol;
import io.fathom.model.mesh.CanonicalService;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpBlock;
import io.fathom.model.mesh.LoadBalancing;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.NamespacedHostname;
import io.fathom.model.mesh.NetworkAddress;
import io.fathom.model.mesh.Port;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.ServiceMembership;
import io.fathom.model.mesh.ServiceWaypoints;
import io.fathom.model.mesh.Workload;
import io.fathom.model.mesh.WorkloadGateways;
import io.fathom.model.mesh.WorkloadNetwork;
import io.fathom.model.mesh.WorkloadOwner;
import io.fathom.model.mesh.WorkloadPlace;
import io.fathom.model.mesh.WorkloadSecurity;
import io.fathom.model.mesh.WorkloadTunnel;
import io.fathom.model.policy.Authorization;
import io.fathom.model.policy.StringMatch;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// Random values of the model, the same for the same seed.
final class Samples {
    private static final String[] WORDS = {
        "", "a", "default", "istio-system", "reviews-v1", "größe", "名前", "x".repeat(200), "cluster-1"
    };

    private final Random random;

    Samples(long seed) {
        this.random = new Random(seed);
    }

    Workload workload() {
        return new Workload(
                "uid/" + text(),
                text(),
                text(),
                new WorkloadNetwork(text(), many(3, this::ip), text(), choice(Workload.NetworkMode.values())),
                new WorkloadTunnel(
                        choice(Workload.TunnelProtocol.values()),
                        choice(Workload.NativeTunnel.values()),
                        maybe(() -> new Workload.ApplicationTunnel(
                                choice(Workload.ApplicationTunnel.Protocol.values()), number(65_536)))),
                new WorkloadSecurity(text(), text(), many(3, this::text)),
                new WorkloadGateways(maybe(this::gateway), choice(Workload.Hairpin.values()), maybe(this::gateway)),
                new WorkloadPlace(
                        text(),
                        text(),
                        maybe(() -> new Locality(text(), text(), text())).orElse(Locality.NONE)),
                new CanonicalService(text(), text()),
                new WorkloadOwner(choice(Workload.Type.values()), text()),
                choice(Workload.Health.values()),
                new ServiceMembership(services(), random.nextBoolean() ? 0 : number(1_000)));
    }

    Service service() {
        return new Service(
                text(),
                text(),
                text(),
                many(3, this::networkAddress),
                many(4, this::port),
                many(3, this::text),
                new ServiceWaypoints(
                        maybe(this::gateway),
                        many(2, () -> new Service.WeightedWaypoint(gateway(), number(101))),
                        choice(Service.IngressWaypoint.values())),
                maybe(() -> new LoadBalancing(
                                many(6, () -> choice(LoadBalancing.Scope.values())),
                                choice(LoadBalancing.Mode.values()),
                                choice(LoadBalancing.HealthPolicy.values())))
                        .orElse(LoadBalancing.NONE),
                choice(Service.IpFamilies.values()),
                choice(Service.Canonical.values()),
                choice(Service.Visibility.values()));
    }

    Authorization authorization() {
        return new Authorization(
                text(),
                text(),
                choice(Authorization.Scope.values()),
                choice(Authorization.Action.values()),
                many(3, () -> new Authorization.Group(many(3, () -> new Authorization.Rules(many(3, this::match))))),
                choice(Authorization.DryRun.values()));
    }

    private Authorization.Match match() {
        return new Authorization.Match(
                many(2, this::stringMatch),
                many(2, this::stringMatch),
                many(2, this::stringMatch),
                many(2, this::stringMatch),
                many(2, this::block),
                many(2, this::block),
                many(2, this::block),
                many(2, this::block),
                many(3, () -> number(65_536)),
                many(3, () -> number(65_536)),
                many(2, () -> new Authorization.ServiceAccount(text(), text())),
                many(2, () -> new Authorization.ServiceAccount(text(), text())));
    }

    private StringMatch stringMatch() {
        return switch (random.nextInt(4)) {
            case 0 -> new StringMatch.Exact(text());
            case 1 -> new StringMatch.Prefix(text());
            case 2 -> new StringMatch.Suffix(text());
            default -> new StringMatch.Presence();
        };
    }

    private Map<String, List<Port>> services() {
        var services = new HashMap<String, List<Port>>();
        for (int i = random.nextInt(4); i > 0; i--) {
            services.put(text() + "/" + text(), many(3, this::port));
        }
        return services;
    }

    private Port port() {
        return new Port(number(65_536), number(65_536), choice(AppProtocol.values()));
    }

    private GatewayAddress gateway() {
        var destination = random.nextBoolean()
                ? new GatewayAddress.GatewayDestination.ByHostname(new NamespacedHostname(text(), text()))
                : new GatewayAddress.GatewayDestination.ByAddress(networkAddress());
        return new GatewayAddress(destination, number(65_536));
    }

    private NetworkAddress networkAddress() {
        return random.nextBoolean() ? NetworkAddress.of(text(), ip()) : new NetworkAddress(text(), block());
    }

    private IpBlock block() {
        var ip = ip();
        return new IpBlock(ip, number(ip.family().bits() + 1));
    }

    private Ip ip() {
        return random.nextBoolean()
                ? new Ip(0, random.nextInt() & 0xffff_ffffL, Ip.Family.V4)
                : new Ip(random.nextLong(), random.nextLong(), Ip.Family.V6);
    }

    private String text() {
        return random.nextInt(3) == 0 ? "name-" + random.nextInt(1_000) : WORDS[random.nextInt(WORDS.length)];
    }

    private int number(int bound) {
        return random.nextInt(bound);
    }

    private <T> T choice(T[] values) {
        return values[random.nextInt(values.length)];
    }

    private <T> Optional<T> maybe(Supplier<T> value) {
        return random.nextBoolean() ? Optional.of(value.get()) : Optional.empty();
    }

    private <T> List<T> many(int most, Supplier<T> value) {
        return Stream.generate(value).limit(random.nextInt(most + 1)).toList();
    }
}
