// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import static io.fathom.model.routing.Fixtures.gateway;
import static io.fathom.model.routing.Fixtures.key;
import static io.fathom.model.routing.Fixtures.pod;
import static io.fathom.model.routing.Fixtures.service;
import static io.fathom.model.routing.Fixtures.view;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.mesh.LoadBalancing.Mode;
import io.fathom.model.mesh.LoadBalancing.Scope;
import io.fathom.model.mesh.Workload;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Cases 24, 32 and 34 of the fact sheet, and what any choice must keep to.
final class BalancerTest {
    private static final Workload CLIENT =
            pod("client", "10.0.0.1").locality("r1/z1/s1").build();
    private static final Balancer BALANCER = new Balancer(Load.UNKNOWN);

    private static Set<String> nearest(MeshView view) {
        var names = new TreeSet<String>();
        Balancer.nearest(view, key("web"), 80, CLIENT).forEach(workload -> names.add(workload.name()));
        return names;
    }

    private static Map<String, Integer> draws(Balancer balancer, MeshView view, int count) {
        var random = new Random(42);
        var drawn = new HashMap<String, Integer>();
        for (int i = 0; i < count; i++) {
            balancer.choose(view, key("web"), 80, CLIENT, Set.of(), random)
                    .ifPresent(choice -> drawn.merge(choice.workload().name(), 1, Integer::sum));
        }
        return drawn;
    }

    private static MeshView localities(Fixtures.ServiceDraft web, String... localities) {
        var all = new ArrayList<Object>(List.of(web));
        for (var locality : localities) {
            all.add(pod(locality.replace('/', '-'), "10.0.1." + all.size())
                    .locality(locality)
                    .behind("web"));
        }
        return view(all.toArray());
    }

    @Test
    void case32_givenStrict_thenAllPreferencesOrNone() {
        var web = service("web").balancing(Mode.STRICT, Scope.REGION, Scope.ZONE);
        assertThat(nearest(localities(web, "r1/z1/x", "r1/z2/x", "r2/z1/x"))).containsExactly("r1-z1-x");
        assertThat(nearest(localities(web, "r1/z2/x", "r2/z1/x"))).isEmpty();
    }

    @Test
    void case32_givenFailover_thenTheNearestThatThereAre() {
        var web = service("web").balancing(Mode.FAILOVER, Scope.REGION, Scope.ZONE);
        assertThat(nearest(localities(web, "r1/z1/x", "r1/z2/x", "r2/z1/x"))).containsExactly("r1-z1-x");
        assertThat(nearest(localities(web, "r1/z2/x", "r2/z1/x"))).containsExactly("r1-z2-x");
        assertThat(nearest(localities(web, "r2/z1/x", "r3/z1/x"))).containsExactly("r2-z1-x", "r3-z1-x");
    }

    @Test
    void case32_givenNoMode_thenPreferencesDoNotCount() {
        var web = service("web").balancing(Mode.UNSPECIFIED, Scope.REGION);
        assertThat(nearest(localities(web, "r1/z1/x", "r2/z1/x"))).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource({"n1, r1/z1, 5", "n1, r1/z2, 4", "n1, r2/z1, 3", "n2, r1/z1, 2", "n2, r1/z2, 1", "n2, r2/z1, 0"})
    void givenNetworkFirst_thenItOutweighsTheRest(String network, String locality, int wanted) {
        var web = service("web")
                .balancing(Mode.FAILOVER, Scope.NETWORK, Scope.REGION, Scope.ZONE)
                .build();
        var member = Member.of(
                pod("p", "10.0.0.2").network(network).locality(locality).build(), new Pool());
        assertThat(ClientLocation.of(CLIENT, web.loadBalancing()).rank(web.loadBalancing(), member))
                .isEqualTo(wanted);
    }

    @Test
    void case32_givenNoAddress_thenPickedOnlyBehindAGatewayOfAnotherNetwork() {
        var gateway = gateway("n2", "10.22.1.1:15009");
        assertThat(nearest(view(service("web"), pod("p").behind("web").networkGateway(gateway))))
                .isEmpty();
        assertThat(nearest(view(service("web"), pod("p").network("n2").behind("web"))))
                .isEmpty();
        assertThat(nearest(view(
                        service("web"), pod("p").network("n2").behind("web").networkGateway(gateway))))
                .containsExactly("p");
    }

    @Test
    void case24_givenHealth_thenOnlyHealthyUnlessAllAreAllowed_alsoWhenThatChangesLater() {
        var sick = pod("sick", "10.0.0.3").behind("web").unhealthy();
        var well = pod("well", "10.0.0.2").behind("web");
        var store = new MeshStore(java.util.Optional.empty());
        store.apply(MeshDelta.ofAddresses(List.of(service("web").build(), sick.build(), well.build()), List.of()));
        assertThat(nearest(store.view())).containsExactly("well");
        store.apply(MeshDelta.ofAddresses(List.of(service("web").allowAll().build()), List.of()));
        assertThat(nearest(store.view())).containsExactly("sick", "well");
        store.apply(MeshDelta.ofAddresses(List.of(service("web").build()), List.of()));
        assertThat(nearest(store.view())).containsExactly("well");
    }

    @ParameterizedTest
    @CsvSource({"80:9090, 80:8080, 9090", "'', 80:8080, 8080", "'', 80:0, 80", "'', 81:81, 80"})
    void case34_givenAGateway_thenPortOfTheEndpointThenTheServiceThenTheTunnel(String own, String general, int wanted) {
        var wp = pod("wp", "10.0.0.2").tunnel(Workload.ApplicationTunnel.Protocol.PROXY, 15088);
        var view = view(service("web").ports(general), own.isEmpty() ? wp.behind("web") : wp.behind("web", own));
        var set = requireNonNull(view.backends(key("web"))).eligible(CLIENT, 80, Eligible.Purpose.GATEWAY);
        assertThat(set.orElseThrow().port(0)).isEqualTo(wanted);
    }

    @Test
    void givenCapacities_thenSharesFollowThem() {
        var view = view(
                service("web"),
                pod("one", "10.0.0.2").behind("web"),
                pod("three", "10.0.0.3").behind("web").capacity(3));
        var drawn = draws(BALANCER, view, 10_000);
        assertThat(drawn.get("three")).isBetween(7_250, 7_750);
    }

    @Test
    void givenOneEndpointIsBusier_thenTheOtherGetsMore() {
        var view = view(
                service("web"),
                pod("busy", "10.0.0.2").behind("web"),
                pod("idle", "10.0.0.3").behind("web"));
        var drawn = draws(new Balancer(uid -> uid.endsWith("busy") ? 10 : 1), view, 10_000);
        // the busy one only wins when both draws fall on it
        assertThat(drawn.get("idle")).isBetween(7_250, 7_750);
    }

    @Test
    void givenAllNearestWereTried_thenTheNextNearestServe_butNeverForStrict() {
        var failover = localities(service("web").balancing(Mode.FAILOVER, Scope.REGION), "r1/z1/x", "r2/z1/x");
        var strict = localities(service("web").balancing(Mode.STRICT, Scope.REGION), "r1/z1/x", "r2/z1/x");
        var tried = Set.of("c1//Pod/ns1/r1-z1-x");
        assertThat(BALANCER.choose(failover, key("web"), 80, CLIENT, tried, new Random(1)))
                .map(choice -> choice.workload().name())
                .contains("r2-z1-x");
        assertThat(BALANCER.choose(strict, key("web"), 80, CLIENT, tried, new Random(1)))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void givenAnyMesh_thenExactlyTheBestUsableEndpointsAreDrawn(long seed) {
        var random = new Random(seed);
        var modes = List.of(Mode.UNSPECIFIED, Mode.STRICT, Mode.FAILOVER);
        var web = service("web")
                .ports("80:8080", "90:0")
                .balancing(modes.get(random.nextInt(3)), Scope.NETWORK, Scope.REGION, Scope.ZONE);
        var all = new ArrayList<Object>(List.of(web));
        for (int i = 0; i < 30; i++) {
            var pod = random.nextInt(5) == 0 ? pod("p" + i) : pod("p" + i, "10.0.1." + i);
            pod.behind("web").capacity(random.nextInt(4)).locality("r" + random.nextInt(3) + "/z" + random.nextInt(3));
            if (random.nextInt(3) == 0) {
                pod.network("n2").networkGateway(gateway("n2", "10.22.1.1:15009"));
            }
            all.add(random.nextInt(4) == 0 ? pod.unhealthy() : pod);
        }
        var view = view(all.toArray());
        var balancing = web.build().loadBalancing();
        var vantage = ClientLocation.of(CLIENT, balancing);
        var best = new HashSet<String>();
        var bestRank = 0;
        for (var member : requireNonNull(view.backends(key("web"))).members) {
            var usable = member.health == Workload.Health.HEALTHY
                    && (!member.ips().isEmpty() || !member.network().equals("n1"))
                    && vantage.rank(balancing, member) >= 0;
            var rank = vantage.rank(balancing, member);
            if (usable && rank >= bestRank) {
                if (rank > bestRank) {
                    best.clear();
                }
                bestRank = rank;
                best.add(member.name());
            }
        }
        assertThat(draws(BALANCER, view, 3_000).keySet()).isEqualTo(best);
        assertThat(nearest(view)).isEqualTo(best);
    }

    @Test
    void weaknessH_givenManyEndpoints_whenChosenAgain_thenThePreparedSetServes_andTwoEndpointsAreLookedAt() {
        var all = new ArrayList<Object>(List.of(service("web")));
        for (int i = 0; i < 20_000; i++) {
            all.add(pod("p" + i, "10.1." + i / 250 + "." + (i % 250 + 1)).behind("web"));
        }
        var view = view(all.toArray());
        var asked = new AtomicInteger();
        var balancer = new Balancer(uid -> asked.getAndIncrement() % 7);
        var prepared = prepared(view);

        assertThat(draws(balancer, view, 1000)).hasSizeGreaterThan(900);

        assertThat(asked).hasValueLessThanOrEqualTo(2 * 1000);
        assertThat(prepared(view)).isSameAs(prepared);
    }

    private static Object prepared(MeshView view) {
        return requireNonNull(view.backends(key("web")))
                .eligible(CLIENT, 80, Eligible.Purpose.TRAFFIC)
                .orElseThrow();
    }
}
