// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.gateway.GatewayVerdict;
import io.fathom.control.gateway.Hostnames;
import io.fathom.control.gateway.ListenerVerdict;
import io.fathom.control.gateway.RouteAttachPoint;
import io.fathom.control.gateway.RouteVerdict;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.gateway.HttpRouteManifest;
import io.fathom.wire.kube.gateway.RouteManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.xds.stream.ClientNode;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// What the verdicts of random Gateways, ListenerSets and routes say is what the generated configuration does: a route
/// is in effect somewhere if and only if a request of its kind is led to its backend there.
class EffectPropertyTest {
    private static final int WORLDS = Integer.getInteger("fathom.worlds", 120);

    private final AtomicReference<@Nullable EnvoyMesh> made = new AtomicReference<>();
    private final AmbientMesh mesh = new AmbientMesh(
            AmbientConfig.defaults(), flow -> made.set(new EnvoyMesh(flow, InstantSource.fixed(Instant.EPOCH))));
    private final EnvoyMesh envoys = requireNonNull(made.get());
    private final AtomicInteger positive = new AtomicInteger();
    private final AtomicInteger negative = new AtomicInteger();

    @Test
    void givenRandomGateways_thenRoutesAreInEffectWhereTheirStatusSaysSo() {
        var _ = mesh.subscribe(envoys);
        var reader = RandomGateways.reader();
        Set<ManifestId> before = new HashSet<>();
        for (var seed = 0; seed < WORLDS; seed++) {
            var batch = new ArrayList<ManifestChange>();
            var now = new HashSet<ManifestId>();
            for (var manifest : RandomGateways.of(seed, reader)) {
                now.add(ManifestId.of(manifest));
                batch.add(new ManifestChange.Put(manifest));
            }
            before.removeAll(now);
            before.forEach(gone -> batch.add(new ManifestChange.Remove(gone.kind(), gone.key())));
            mesh.apply(batch);
            before = now;
            check("seed " + seed);
        }
        assertThat(positive.get()).as("questions about routes in effect").isGreaterThan(WORLDS);
        assertThat(negative.get()).as("questions about routes without effect").isGreaterThan(WORLDS);
    }

    private void check(String seed) {
        var edge = new EnvoyReader(envoys.feed(node("router", "edge", "gw")).orElseThrow());
        var waypoint =
                new EnvoyReader(envoys.feed(node("waypoint", "infra", "wp")).orElseThrow());
        var cut = mesh.cut();
        var gateway = cut.of(mesh.listeners().gateways())
                .find(new ObjectKey("Kubernetes", "edge", "gw"))
                .orElseThrow();
        gateway.listeners().forEach(listener -> checkListener(seed, edge, listener));
        cut.of(mesh.routes()).forEach((id, verdict) -> {
            gateway.listeners().forEach(listener -> checkRoute(seed, edge, gateway, listener, verdict));
            for (var service : List.of("s0", "s1", "s2")) {
                for (var port : List.of(80, 90)) {
                    checkMesh(seed, waypoint, service, port, verdict);
                }
            }
        });
    }

    /// An HTTPS listener has a chain of its own, or none.
    private static void checkListener(String seed, EnvoyReader edge, ListenerVerdict listener) {
        if (listener.listener().protocol().equals("HTTPS")) {
            var owner = listener.key().set().orElse(listener.key().gateway());
            var table = "https.%d.%s.%s.%s%s"
                    .formatted(
                            listener.listener().port(),
                            listener.listener().name(),
                            owner.name(),
                            owner.namespace(),
                            listener.key().set().isPresent() ? ".listenerset" : "");
            var host = concrete(Hostnames.orAll(listener.listener().hostname()));
            assertThat(edge.ends(listener.listener().port(), host, table))
                    .as(() -> seed + ": " + listener)
                    .isEqualTo(listener.isServed());
        }
    }

    private void checkRoute(
            String seed, EnvoyReader edge, GatewayVerdict gateway, ListenerVerdict listener, RouteVerdict verdict) {
        var place = new RouteAttachPoint.AtListener(listener.key());
        var route = verdict.route();
        var may = verdict.parents().stream()
                .filter(parent -> parent.effects().contains(place))
                .allMatch(parent -> parent.resolved().isGood());
        if (verdict.effects().containsKey(place)) {
            for (var pattern : verdict.hosts(place)) {
                positive.incrementAndGet();
                assertThat(leads(edge, listener, route, concrete(pattern)))
                        .as(() -> "%s: %s at %s for %s".formatted(seed, name(route), listener, pattern))
                        .isEqualTo(may);
            }
            return;
        }
        for (var pattern : Hostnames.orAll(route.hostnames())) {
            var host =
                    concrete(Hostnames.both(Hostnames.orAll(listener.listener().hostname()), pattern)
                            .orElse(pattern));
            if (!isElsewhere(gateway, listener, verdict, host)) {
                negative.incrementAndGet();
                assertThat(leads(edge, listener, route, host))
                        .as(() -> "%s: %s not at %s for %s".formatted(seed, name(route), listener, host))
                        .isFalse();
            }
        }
    }

    /// Whether another listener of the same port has the route for that host.
    private static boolean isElsewhere(
            GatewayVerdict gateway, ListenerVerdict listener, RouteVerdict verdict, String host) {
        return gateway.listeners()
                .filter(other -> other.listener().port() == listener.listener().port())
                .anyMatch(other -> verdict.hosts(new RouteAttachPoint.AtListener(other.key())).stream()
                        .anyMatch(pattern -> Hostnames.covers(pattern, host)));
    }

    private static boolean leads(EnvoyReader edge, ListenerVerdict listener, RouteManifest route, String host) {
        var port = listener.listener().port();
        var serverName = isTls(listener) ? host : "";
        var cluster = route instanceof HttpRouteManifest
                ? edge.request(port, serverName, host, "/" + route.name())
                : edge.connection(port, serverName);
        return cluster.contains("|b-" + route.name() + ".");
    }

    private static boolean isTls(ListenerVerdict listener) {
        return listener.listener().protocol().equals("HTTPS")
                || listener.listener().protocol().equals("TLS");
    }

    private void checkMesh(String seed, EnvoyReader waypoint, String service, int port, RouteVerdict verdict) {
        var host = service + ".shop.svc.cluster.local";
        var place = new RouteAttachPoint.AtService(new ObjectKey("Kubernetes", "infra", "wp"), "shop/" + host, port);
        var route = verdict.route();
        var cluster = route instanceof HttpRouteManifest
                ? waypoint.table("inbound-vip|%d|http|%s".formatted(port, host), host, "/" + route.name())
                : waypoint.connection("inbound-vip|%d|tcp|%s".formatted(port, host));
        var isInEffect = verdict.effects().containsKey(place);
        (isInEffect ? positive : negative).incrementAndGet();
        assertThat(cluster.contains("|b-" + route.name() + "."))
                .as(() -> "%s: %s at %s: %s".formatted(seed, name(route), place, cluster))
                .isEqualTo(isInEffect);
    }

    private static String name(RouteManifest route) {
        return route.kind() + " " + route.key().path();
    }

    /// A host that a pattern means, and no narrower one.
    static String concrete(String pattern) {
        return pattern.startsWith("*")
                ? "some-host" + (pattern.length() == 1 ? ".test" : pattern.substring(1))
                : pattern;
    }

    static ClientNode node(String type, String namespace, String gateway) {
        return new ClientNode(
                type + "~10.0.0.9~p." + namespace + "~" + namespace + ".svc.cluster.local",
                type.equals("router") ? ClientNode.Type.ROUTER : ClientNode.Type.WAYPOINT,
                "10.0.0.9",
                "p." + namespace,
                namespace + ".svc.cluster.local",
                Map.of("NAMESPACE", namespace, "SERVICE_ACCOUNT", gateway),
                Map.of(Groups.GATEWAY_NAME, gateway));
    }
}
