// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.ambient.status.StatusCondition;
import io.fathom.control.deploy.GatewayRow.ProxyPresence;
import io.fathom.control.gateway.GatewayVerdict;
import io.fathom.wire.kube.ManifestReader;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.Reading;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.gateway.GatewayManifest.Listener;
import io.fathom.wire.kube.gateway.ListenerSetManifest;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// ListenerSets of a Gateway `shop/gw`, whose own listener is `http` on port 80 for `own.example`.
class ListenerSetStatusTest {
    private static final ServiceView BALANCED =
            new ServiceView("shop", "gw-istio", ServiceManifest.Type.CLUSTER_IP, List.of("10.96.0.8"), List.of());

    private final List<ListenerSetManifest> sets = new ArrayList<>();
    private Predicate<ListenerSetManifest> allowed = _ -> true;
    private ProxyPresence proxies = ProxyPresence.READY;
    private String gatewayListeners = "[{name: http, port: 80, protocol: HTTP, hostname: own.example}]";

    /// @param day of its creation
    private void set(String name, int day, String listeners) {
        var object = Scene.objects("""
                apiVersion: gateway.networking.k8s.io/v1
                kind: ListenerSet
                metadata: {name: %1$s, namespace: shop, uid: %1$s, creationTimestamp: "2026-01-0%2$dT00:00:00Z"}
                spec: {parentRef: {name: gw}, listeners: [%3$s]}
                """.formatted(name, day, listeners)).getFirst();
        var reading = new ManifestReader(ReaderConfig.of("", "", ""))
                .read(object.tree(), _ -> Instant.EPOCH)
                .getFirst();
        sets.add((ListenerSetManifest) ((Reading.Good) reading).manifest());
    }

    private GatewaySight sight() {
        var scene = Scene.of("""
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: gw, namespace: shop, uid: u}
                spec: {gatewayClassName: istio, listeners: %s}
                """.formatted(gatewayListeners));
        var verdict =
                GatewayVerdict.of(scene.gateway().manifest(), sets, allowed, scene.profile(), new NamedCertificates());
        var row = new GatewayRow(
                verdict, Optional.empty(), "", proxies, Optional.of(BALANCED), List.of(), Optional.empty(), Map.of());
        return new GatewaySight(row, Optional.empty(), Optional.empty());
    }

    private static GatewayStatus gateway(GatewaySight sight) {
        return new StatusPlanner("cluster.local", StatusPlanner.Home.CLUSTER).status(sight);
    }

    /// By set, and by `set/listener`.
    private Map<String, String> texts() {
        var sight = sight();
        var gateway = gateway(sight);
        var texts = new TreeMap<String, String>();
        for (var set : sight.row().verdict().sets()) {
            var status = ListenerSetStatus.of(set, gateway, _ -> 7);
            var name = set.set().name();
            texts.put(name, text(status.conditions()));
            status.listeners().forEach(each -> texts.put(name + "/" + each.name(), text(each.conditions())));
        }
        return texts;
    }

    private static String text(List<StatusCondition> conditions) {
        return conditions.stream()
                .map(each -> each.type() + "=" + each.status().text() + "/" + each.reason())
                .collect(Collectors.joining(" "));
    }

    @Test
    void givenASetThatIsAllowed_thenItsListenersServe() {
        set("a", 1, "{name: x, port: 80, protocol: HTTP, hostname: x.example}");

        assertThat(texts())
                .containsEntry("a", "Accepted=True/Accepted Programmed=True/Programmed")
                .containsEntry(
                        "a/x",
                        "Accepted=True/Accepted Conflicted=False/NoConflicts ResolvedRefs=True/ResolvedRefs"
                                + " Programmed=True/Programmed");
        assertThat(gateway(sight()).attachedSets()).isEqualTo(1);
    }

    @Test
    void givenAGatewayThatIsNotReady_thenTheSetIsPending() {
        set("a", 1, "{name: x, port: 80, protocol: HTTP, hostname: x.example}");
        proxies = ProxyPresence.NOT_READY;

        assertThat(texts()).containsEntry("a", "Accepted=True/Accepted Programmed=False/Pending");
    }

    @Test
    void givenASetThatIsNotAllowed_thenItSaysSoAndNothingOfItCounts() {
        set("a", 1, "{name: x, port: 90, protocol: HTTP}");
        allowed = _ -> false;

        assertThat(texts()).isEqualTo(Map.of("a", "Accepted=False/NotAllowed Programmed=False/NotAllowed"));
        assertThat(gateway(sight()).attachedSets()).isZero();
        assertThat(DeployedGateway.of(sight().row().verdict()).listeners())
                .extracting(Listener::name)
                .containsExactly("http");
    }

    @Test
    void givenTheSameHostName_thenTheGatewayAndOlderSetsKeepIt() {
        set("young", 3, "{name: x, port: 80, protocol: HTTP, hostname: x.example}");
        set("old", 1, """
                {name: x, port: 80, protocol: HTTP, hostname: x.example},
                {name: y, port: 80, protocol: HTTP, hostname: own.example}""");

        var conflict = "Accepted=False/HostnameConflict Conflicted=True/HostnameConflict ResolvedRefs=True/ResolvedRefs"
                + " Programmed=False/HostnameConflict";
        assertThat(texts())
                .containsEntry("old", "Accepted=True/ListenersNotValid Programmed=True/Programmed")
                .containsEntry("old/y", conflict)
                .containsEntry("young", "Accepted=False/ListenersNotValid Programmed=False/ListenersNotValid")
                .containsEntry("young/x", conflict);
        assertThat(gateway(sight()).attachedSets()).isEqualTo(1);
        assertThat(text(gateway(sight()).conditions())).startsWith("Accepted=True/Accepted");
    }

    @Test
    void givenAnotherProtocol_thenOnlyTheLaterListenerIsInConflict() {
        set("a", 1, """
                {name: wrong, port: 80, protocol: TCP},
                {name: right, port: 80, protocol: HTTP, hostname: x.example}""");
        set("b", 2, "{name: more, port: 80, protocol: HTTP, hostname: y.example}");

        assertThat(texts())
                .containsEntry("a", "Accepted=True/ListenersNotValid Programmed=True/Programmed")
                .containsEntry("b", "Accepted=True/Accepted Programmed=True/Programmed")
                .hasEntrySatisfying("a/wrong", text -> assertThat(text).contains("Conflicted=True/ProtocolConflict"));
        assertThat(DeployedGateway.of(sight().row().verdict()).listeners())
                .extracting(Listener::name)
                .containsExactly("http", "right", "more");
    }

    @Test
    void givenCertificates_thenGrantsAreThoseOfTheSet() {
        gatewayListeners = """
                [{name: s, port: 443, protocol: HTTPS, hostname: a.example, tls: {certificateRefs: [{name: granted-to-sets}]}}]
                """;
        set("a", 1, """
                {name: x, port: 443, protocol: HTTPS, hostname: x.example, tls: {certificateRefs: [{name: granted-to-sets}]}}""");
        set("b", 2, """
                {name: y, port: 443, protocol: HTTPS, hostname: y.example, tls: {certificateRefs: [{name: secret}]}}""");
        var sight = sight();

        assertThat(sight.row().verdict().own().getFirst().faults().unresolved()).isPresent();
        assertThat(sight.row()
                        .verdict()
                        .sets()
                        .getFirst()
                        .listeners()
                        .getFirst()
                        .faults()
                        .unresolved())
                .isEmpty();
        assertThat(ListenerSetStatus.of(sight.row().verdict().sets().getLast(), gateway(sight), _ -> 0)
                        .listeners()
                        .getFirst()
                        .conditions())
                .anySatisfy(condition -> assertThat(condition.reason()).isEqualTo("RefNotPermitted"));
    }

    @Test
    void givenAGatewayThatIsNotAccepted_thenNeitherIsTheSet() {
        gatewayListeners = "[{name: u, port: 80, protocol: UDP}]";
        set("a", 1, "{name: x, port: 81, protocol: HTTP}");

        assertThat(texts()).containsEntry("a", "Accepted=False/ParentNotAccepted Programmed=False/ParentNotAccepted");
    }

    @Test
    void whenAStatusIsWritten_thenRoutesAndSetsAreCounted() {
        set("a", 1, "{name: x, port: 80, protocol: HTTP, hostname: x.example}");
        var sight = sight();
        var none = Json.of(Map.of());
        var own = StatusTree.of(
                ListenerSetStatus.of(sight.row().verdict().sets().getFirst(), gateway(sight), _ -> 7),
                3,
                none,
                Instant.EPOCH);
        var listener = Field.root(own).at("listeners").items().getFirst();

        assertThat(listener.at("name").text()).isEqualTo("x");
        assertThat(listener.at("attachedRoutes").integer(0, 9)).hasValue(7);
        assertThat(listener.at("supportedKinds").items()).hasSize(2);
        assertThat(Json.compact(own)).contains("\"observedGeneration\":3").doesNotContain("addresses");
        var parent = StatusTree.of(gateway(sight), 1, none, Instant.EPOCH);
        assertThat(Field.root(parent).at("attachedListenerSets").integer(0, 9)).hasValue(1);
        sets.clear();
        assertThat(StatusTree.says(parent, StatusTree.of(gateway(sight()), 1, parent, Instant.EPOCH)))
                .isFalse();
    }
}
