// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fleet;

import io.fathom.app.http.HttpEndpoint;
import io.fathom.app.settings.Settings;
import io.fathom.base.lang.SystemTimeline;
import io.fathom.base.lang.Timeline;
import io.fathom.base.work.Parts;
import io.fathom.fleet.server.FleetPolicy;
import io.fathom.fleet.server.ManagementServer;
import io.fathom.fleet.server.ServicePolicy;
import io.fathom.wire.fleet.FleetLimits;
import io.fathom.wire.fleet.ServerAddress;
import io.netty.resolver.DefaultNameResolver;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One running management server and its HTTP port.
final class RunningServer {
    private static final Logger log = LoggerFactory.getLogger(RunningServer.class);

    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
    private static final DefaultNameResolver RESOLVER = new DefaultNameResolver(ImmediateEventExecutor.INSTANCE);

    private RunningServer() {}

    /// Throws a [io.fathom.base.lang.ProblemException] when a port or the folder cannot be had.
    static AutoCloseable start(Settings settings) {
        var fleet = settings.text(FleetSetting.FLEET);
        if (!fleet.matches("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")) {
            throw settings.bad(FleetSetting.FLEET, "is no name", "give one like fleet.example.com");
        }
        var file = Optional.of(settings.text(FleetSetting.SERVICE_POLICY))
                .filter(text -> !text.isEmpty())
                .map(text -> ServicePolicyFile.load(Path.of(text)));
        var policy = new FleetPolicy(
                fleet,
                Set.copyOf(settings.words(FleetSetting.GATEWAY_NAMESPACES)),
                settings.time(FleetSetting.CERTIFICATE_TTL),
                file.map(ServicePolicyFile.Loaded::policy).orElse(ServicePolicy.OPEN));
        var parts = new Parts();
        try {
            var timeline = parts.keep(new SystemTimeline());
            var server = parts.keep(ManagementServer.start(
                    StoreChoice.open(settings),
                    StoreChoice.cache(settings),
                    address(settings, FleetSetting.PORT),
                    policy,
                    limits(settings),
                    timeline,
                    new SecureRandom()));
            replicas(settings).ifPresent(server::follow);
            var followed = file.map(loaded -> loaded.follow(server::use));
            followed.ifPresent(it -> follow(it, timeline));
            var http = parts.keep(HttpEndpoint.listen(
                    address(settings, FleetSetting.HTTP_PORT),
                    FleetPages.of(server, followed, timeline),
                    "http-port-unavailable",
                    "stop whatever uses the port, or choose another one with --http-port; 0 takes any free one"));
            log.atInfo()
                    .addKeyValue("fleet", fleet)
                    .addKeyValue("port", server.port())
                    .addKeyValue("http", http.port())
                    .log("started");
            return parts;
        } catch (RuntimeException e) {
            parts.close();
            throw e;
        }
    }

    /// Now and every second.
    private static void follow(ServicePolicyFile file, Timeline timeline) {
        file.look();
        var _ = timeline.at(timeline.instant().plus(LOOK_EVERY), () -> follow(file, timeline));
    }

    private static Optional<Supplier<List<ServerAddress>>> replicas(Settings settings) {
        var named = settings.words(FleetSetting.REPLICAS).stream()
                .map(text -> ServerAddress.parse(text)
                        .orElseThrow(() -> settings.bad(
                                FleetSetting.REPLICAS,
                                "is not an address",
                                "give one like fathom-fleet-replicas:9900")))
                .toList();
        return named.isEmpty()
                ? Optional.empty()
                : Optional.of(() -> named.stream()
                        .flatMap(one -> addresses(one).stream())
                        .distinct()
                        .toList());
    }

    /// Of a name that stands for several servers on purpose; none while it cannot be resolved.
    private static List<ServerAddress> addresses(ServerAddress named) {
        var looked = RESOLVER.resolveAll(named.host()); // on this thread
        return looked.isSuccess()
                ? looked.getNow().stream()
                        .map(address -> new ServerAddress(address.getHostAddress(), named.port()))
                        .toList()
                : List.of();
    }

    private static FleetLimits limits(Settings settings) {
        var fix = "give a number from 1 to 1000000";
        return FleetLimits.DEFAULT.withStrangers(
                settings.number(FleetSetting.MOST_STRANGERS, 1, 1_000_000, fix),
                settings.number(FleetSetting.MOST_STRANGERS_PER_ADDRESS, 1, 1_000_000, fix));
    }

    private static InetSocketAddress address(Settings settings, FleetSetting port) {
        var text = settings.text(FleetSetting.LISTEN_ADDRESS);
        try {
            return new InetSocketAddress(InetAddress.ofLiteral(text), settings.port(port));
        } catch (IllegalArgumentException _) {
            throw settings.bad(FleetSetting.LISTEN_ADDRESS, "is not an address", "give one like 127.0.0.1");
        }
    }
}
