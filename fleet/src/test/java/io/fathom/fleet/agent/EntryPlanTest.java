// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.fleet.agent.EntryPlan.EntryOrigin;
import io.fathom.model.mesh.AppProtocol;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.Port;
import io.fathom.model.peering.ClusterSummary;
import io.fathom.model.peering.ServiceSummary;
import io.fathom.model.peering.ServiceSummary.LocalityShare;
import io.fathom.model.peering.ServiceSummary.NameScope;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class EntryPlanTest {
    private static ServiceSummary service(String name, int ready) {
        return new ServiceSummary(
                "shop",
                name,
                List.of(new Port(80, 8080, AppProtocol.HTTP11)),
                ready == 0 ? List.of() : List.of(new LocalityShare(new Locality("eu", "a", ""), ready)),
                ready,
                List.of("shop/" + name),
                NameScope.BOTH_NAMES,
                "");
    }

    private static EntryOrigin origin(String cluster, ServiceSummary... services) {
        return new EntryOrigin(
                new ClusterSummary(cluster, "net-" + cluster, cluster + ".example"),
                Stream.of(services).collect(Collectors.toMap(ServiceSummary::path, service -> service)));
    }

    private static List<String> names(EntryPlan plan) {
        return plan.objects().stream()
                .map(object -> object.kind().title() + " " + object.name())
                .toList();
    }

    @Test
    void givenAServiceOfTwoClusters_thenOneServiceAndAWorkloadForEach() {
        var plan = EntryPlan.of(
                "ns",
                "net-west",
                Map.of("east", origin("east", service("cart", 3)), "south", origin("south", service("cart", 1))),
                100);

        assertThat(names(plan))
                .containsExactly(
                        "ServiceEntry cart.shop", "WorkloadEntry cart.shop.east", "WorkloadEntry cart.shop.south");
        assertThat(plan.problem()).isEmpty();
        var service = Field.root(plan.objects().getFirst().content()).at("spec");
        assertThat(service.at("hosts").texts())
                .containsExactly("cart.shop.mesh.internal", "cart.shop.svc.cluster.local");
        assertThat(service.at("subjectAltNames").texts())
                .containsExactly("spiffe://east.example/ns/shop/sa/cart", "spiffe://south.example/ns/shop/sa/cart");
        assertThat(Json.compact(plan.objects().get(1).content()))
                .contains("\"weight\":3", "\"network\":\"net-east\"", "\"locality\":\"eu/a\"")
                .doesNotContain("address");
    }

    @Test
    void givenNothingReady_orOurNetwork_thenThereIsNoWorkload() {
        assertThat(names(EntryPlan.of("ns", "net-west", Map.of("east", origin("east", service("cart", 0))), 100)))
                .containsExactly("ServiceEntry cart.shop");
        assertThat(names(EntryPlan.of("ns", "net-east", Map.of("east", origin("east", service("cart", 1))), 100)))
                .isEmpty();
    }

    @Test
    void givenMoreThanThereIsRoomFor_thenWholeServicesAreLeftOut_andThatIsTold() {
        var plan = EntryPlan.of(
                "ns", "net-west", Map.of("east", origin("east", service("a", 1), service("b", 1), service("c", 1))), 5);

        assertThat(names(plan))
                .containsExactly(
                        "ServiceEntry a.shop",
                        "WorkloadEntry a.shop.east",
                        "ServiceEntry b.shop",
                        "WorkloadEntry b.shop.east");
        assertThat(plan.problem().orElseThrow().toString()).contains("4 ServiceEntries", "2 are left out", "--imports");
    }

    @Test
    void givenALongName_thenItsLabelIsShort() {
        var object = EntryPlan.of("ns", "", Map.of("east", origin("east", service("a".repeat(63), 1))), 5)
                .objects()
                .getFirst();

        assertThat(Field.root(object.content())
                        .at("metadata")
                        .at("labels")
                        .textMap()
                        .get(EntryObject.SERVICE))
                .hasSizeLessThan(64);
    }
}
