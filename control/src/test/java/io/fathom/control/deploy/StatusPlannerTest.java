// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.base.lang.Problem;
import io.fathom.control.ambient.status.StatusCondition;
import io.fathom.control.deploy.GatewayRow.ProxyPresence;
import io.fathom.control.gateway.GatewayVerdict;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.gateway.GatewayManifest.Address;
import io.fathom.wire.kube.gateway.GatewayManifest.RouteKind;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Tree;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class StatusPlannerTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00.5Z");
    private static final ServiceView CLUSTER_IP =
            new ServiceView("shop", "gw", ServiceManifest.Type.CLUSTER_IP, List.of("10.96.0.7", "fd20::7"), List.of());
    private static final ServiceView BALANCED = new ServiceView(
            "shop",
            "gw-istio",
            ServiceManifest.Type.LOAD_BALANCER,
            List.of("10.96.0.8"),
            List.of(new Address("IPAddress", "192.0.2.1"), new Address("Hostname", "lb.example")));
    private static final ServiceView PENDING =
            new ServiceView("shop", "gw-istio", ServiceManifest.Type.LOAD_BALANCER, List.of("10.96.0.8"), List.of());

    static Stream<Arguments> situations() {
        return Stream.of(
                argumentSet(
                        "given a waypoint with a ready pod, then both addresses and the host name",
                        new Draft("istio-waypoint").service(CLUSTER_IP).ready(),
                        "Accepted=True/Accepted Programmed=True/Programmed",
                        "IPAddress 10.96.0.7, IPAddress fd20::7, Hostname gw.shop.svc.cluster.local"),
                argumentSet(
                        "given no ready pod, then no address",
                        new Draft("istio-waypoint").service(CLUSTER_IP),
                        "Accepted=True/Accepted Programmed=False/AddressNotAssigned",
                        ""),
                argumentSet(
                        "given no ready pod any more, then addresses stay",
                        new Draft("istio-waypoint").service(CLUSTER_IP).had("10.96.0.7"),
                        "Accepted=True/Accepted Programmed=True/Programmed",
                        "IPAddress 10.96.0.7, IPAddress fd20::7, Hostname gw.shop.svc.cluster.local"),
                argumentSet(
                        "given no Service, then no address",
                        new Draft("istio-waypoint").ready(),
                        "Accepted=True/Accepted Programmed=False/AddressNotAssigned",
                        ""),
                argumentSet(
                        "given a load balancer, then its addresses",
                        new Draft("istio").service(BALANCED).ready(),
                        "Accepted=True/Accepted Programmed=True/Programmed",
                        "IPAddress 192.0.2.1, Hostname lb.example"),
                argumentSet(
                        "given a load balancer that takes its time, then not assigned",
                        new Draft("istio").service(PENDING).ready(),
                        "Accepted=True/Accepted Programmed=False/AddressNotAssigned",
                        ""),
                argumentSet(
                        "given an ingress gateway inside the cluster only, then its host name",
                        new Draft("istio").service(CLUSTER_IP).ready(),
                        "Accepted=True/Accepted Programmed=True/Programmed",
                        "Hostname gw.shop.svc.cluster.local"),
                argumentSet(
                        "given an east-west gateway, then what the load balancer says",
                        new Draft("istio-east-west").service(BALANCED).ready(),
                        "Accepted=True/Accepted Programmed=True/Programmed",
                        "IPAddress 192.0.2.1, Hostname lb.example"),
                argumentSet(
                        "given the wanted address, then programmed",
                        new Draft("istio")
                                .wants("[{value: 192.0.2.1}]")
                                .service(BALANCED)
                                .ready(),
                        "Accepted=True/Accepted Programmed=True/Programmed",
                        "IPAddress 192.0.2.1, Hostname lb.example"),
                argumentSet(
                        "given another than the wanted address, then not usable",
                        new Draft("istio")
                                .wants("[{value: 192.0.2.9}]")
                                .service(BALANCED)
                                .ready(),
                        "Accepted=True/Accepted Programmed=False/AddressNotUsable",
                        "IPAddress 192.0.2.1, Hostname lb.example"),
                argumentSet(
                        "given a host name of no Service, then not usable",
                        new Draft("istio").wants("[{type: Hostname, value: none.shop}]"),
                        "Accepted=True/Accepted Programmed=False/AddressNotUsable",
                        ""),
                argumentSet(
                        "given the host name of a Service, then that one's addresses",
                        new Draft("istio")
                                .wants("[{type: Hostname, value: gw-istio.shop}]")
                                .service(BALANCED)
                                .ready(),
                        "Accepted=True/Accepted Programmed=True/Programmed",
                        "IPAddress 192.0.2.1, Hostname lb.example"),
                argumentSet(
                        "given host names of a Service and of none, then not usable",
                        new Draft("istio")
                                .wants("[{type: Hostname, value: none.shop}, {type: Hostname, value: gw-istio.shop}]")
                                .service(BALANCED)
                                .unknown("none.shop")
                                .ready(),
                        "Accepted=True/Accepted Programmed=False/AddressNotUsable",
                        "IPAddress 192.0.2.1, Hostname lb.example"),
                argumentSet(
                        "given an address of another type, then unsupported",
                        new Draft("istio").wants("[{type: example.com/own, value: x}]"),
                        "Accepted=False/UnsupportedAddress Programmed=False/UnsupportedAddress",
                        ""),
                argumentSet(
                        "given a gateway elsewhere, then what it says itself",
                        new Draft("istio-remote").wants("[{value: 192.0.2.3}, {type: Hostname, value: a.example}]"),
                        "Accepted=True/Accepted Programmed=True/Programmed",
                        "IPAddress 192.0.2.3, Hostname a.example"),
                argumentSet(
                        "given a gateway nowhere, then not assigned",
                        new Draft("istio-remote"),
                        "Accepted=True/Accepted Programmed=False/AddressNotAssigned",
                        ""),
                argumentSet(
                        "given a bad overlay, then invalid parameters",
                        new Draft("istio-waypoint")
                                .refused("bad key")
                                .service(CLUSTER_IP)
                                .ready(),
                        "Accepted=False/InvalidParameters Programmed=False/Invalid",
                        ""),
                argumentSet(
                        "given a bad overlay for what runs already, then addresses stay",
                        new Draft("istio-waypoint")
                                .refused("bad key")
                                .service(CLUSTER_IP)
                                .had("10.96.0.7"),
                        "Accepted=False/InvalidParameters Programmed=False/Invalid",
                        "IPAddress 10.96.0.7"),
                argumentSet(
                        "given a Service that was deleted, then addresses stay",
                        new Draft("istio-waypoint").had("10.96.0.7").ready(),
                        "Accepted=True/Accepted Programmed=False/AddressNotAssigned",
                        "IPAddress 10.96.0.7"),
                argumentSet(
                        "given any address wanted, then the balancer's",
                        new Draft("istio")
                                .wants("[{type: IPAddress}]")
                                .service(BALANCED)
                                .ready(),
                        "Accepted=True/Accepted Programmed=True/Programmed",
                        "IPAddress 192.0.2.1, Hostname lb.example"),
                argumentSet(
                        "given a folder and a ready pod, then programmed with the addresses of its files",
                        new Draft("istio-waypoint").inFolder().had("10.96.0.7").ready(),
                        "Accepted=True/Accepted Programmed=True/Programmed",
                        "IPAddress 10.96.0.7"),
                argumentSet(
                        "given a folder and a pod that is not ready, then not programmed",
                        new Draft("istio-waypoint").inFolder().had("10.96.0.7"),
                        "Accepted=True/Accepted Programmed=False/AddressNotAssigned",
                        "IPAddress 10.96.0.7"),
                argumentSet(
                        "given a folder with an address and no pods, then programmed",
                        new Draft("istio").inFolder().withoutPods().had("10.96.0.7"),
                        "Accepted=True/Accepted Programmed=True/Programmed",
                        "IPAddress 10.96.0.7"),
                argumentSet(
                        "given a folder with neither, then not programmed",
                        new Draft("istio").inFolder().withoutPods(),
                        "Accepted=True/Accepted Programmed=False/AddressNotAssigned",
                        ""),
                argumentSet(
                        "given something in the way, then not programmed",
                        new Draft("istio-waypoint").failure("Service shop/gw is not ours"),
                        "Accepted=True/Accepted Programmed=False/Invalid",
                        ""));
    }

    @ParameterizedTest
    @MethodSource("situations")
    void whenGatewayIsJudged(Draft draft, String conditions, String addresses) {
        var status = draft.status();

        assertThat(text(status.conditions().subList(0, 2))).isEqualTo(conditions);
        assertThat(String.join(
                        ", ",
                        status.addresses().stream()
                                .map(address -> address.type() + " " + address.value())
                                .toList()))
                .isEqualTo(addresses);
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', textBlock = """
            istio | [{name: a, port: 80, protocol: HTTP}] | a=Accepted Conflicted- ResolvedRefs Programmed HTTPRoute,GRPCRoute
            istio | [{name: a, port: 80, protocol: UDP}] | a=Accepted-UnsupportedProtocol Conflicted- ResolvedRefs Programmed-Invalid
            istio | [{name: a, port: 15008, protocol: HBONE}] | a=Accepted-UnsupportedProtocol Conflicted- ResolvedRefs Programmed-Invalid
            istio-waypoint | [{name: a, port: 15008, protocol: HBONE}] | a=Accepted Conflicted- ResolvedRefs Programmed
            istio-waypoint | [{name: a, port: 80, protocol: HTTP}] | a=Accepted Conflicted- ResolvedRefs Programmed-Invalid HTTPRoute,GRPCRoute
            istio-waypoint | [{name: a, port: 15008, protocol: HBONE, allowedRoutes: {kinds: [{kind: HTTPRoute}]}}] | a=Accepted Conflicted- ResolvedRefs-InvalidRouteKinds Programmed
            istio | [{name: a, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: late}]}}] | a=Accepted Conflicted- ResolvedRefs Programmed-Pending HTTPRoute,GRPCRoute
            istio-east-west | [{name: a, port: 15008, protocol: HBONE, tls: {mode: Terminate, options: {gateway.istio.io/tls-terminate-mode: ISTIO_MUTUAL}}}] | a=Accepted Conflicted- ResolvedRefs Programmed
            istio | [{name: a, port: 9, protocol: TCP}] | a=Accepted Conflicted- ResolvedRefs Programmed TCPRoute
            istio | [{name: a, port: 9, protocol: TLS, tls: {mode: Passthrough}}] | a=Accepted Conflicted- ResolvedRefs Programmed TLSRoute
            istio | [{name: a, port: 9, protocol: TLS, tls: {mode: Terminate, certificateRefs: [{name: good}]}}] | a=Accepted Conflicted- ResolvedRefs Programmed TLSRoute,TCPRoute
            istio | [{name: a, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: good}]}}] | a=Accepted Conflicted- ResolvedRefs Programmed HTTPRoute,GRPCRoute
            istio | [{name: a, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: good}, {name: bad}]}}] | a=Accepted Conflicted- ResolvedRefs-InvalidCertificateRef Programmed-Invalid HTTPRoute,GRPCRoute
            istio | [{name: a, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: secret}]}}] | a=Accepted Conflicted- ResolvedRefs-RefNotPermitted Programmed-Invalid HTTPRoute,GRPCRoute
            istio | [{name: a, port: 443, protocol: HTTPS, tls: {}}] | a=Accepted Conflicted- ResolvedRefs-InvalidCertificateRef Programmed-Invalid HTTPRoute,GRPCRoute
            istio | [{name: a, port: 443, protocol: HTTPS}] | a=Accepted Conflicted- ResolvedRefs-InvalidCertificateRef Programmed-Invalid HTTPRoute,GRPCRoute
            istio | [{name: a, port: 80, protocol: HTTP, allowedRoutes: {kinds: [{kind: HTTPRoute}, {kind: TCPRoute}]}}] | a=Accepted Conflicted- ResolvedRefs-InvalidRouteKinds Programmed HTTPRoute
            istio | [{name: a, port: 80, protocol: HTTP, allowedRoutes: {kinds: [{kind: TCPRoute}]}}] | a=Accepted Conflicted- ResolvedRefs-InvalidRouteKinds Programmed-Invalid
            istio | [{name: a, port: 80, protocol: HTTP, allowedRoutes: {kinds: [{kind: GRPCRoute}]}}] | a=Accepted Conflicted- ResolvedRefs Programmed GRPCRoute
            """)
    void whenListenerIsJudged(String className, String listeners, String want) {
        var draft = new Draft(className).listeners(listeners).service(BALANCED).ready();

        assertThat(listenerTexts(draft.status())).containsExactly(want);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {port: 80, protocol: HTTP}                      | {port: 80, protocol: HTTP}                      | HostnameConflict
            {port: 80, protocol: HTTP, hostname: a.example} | {port: 80, protocol: HTTP, hostname: b.example} | none
            {port: 80, protocol: HTTP, hostname: a.example} | {port: 80, protocol: HTTP, hostname: a.example} | HostnameConflict
            {port: 80, protocol: HTTP}                      | {port: 80, protocol: TCP}                       | ProtocolConflict
            {port: 80, protocol: HTTP}                      | {port: 81, protocol: HTTP}                      | none
            {port: 80, protocol: TCP, hostname: a.example}  | {port: 80, protocol: TCP, hostname: b.example}  | HostnameConflict
            {port: 1, protocol: TLS, tls: {mode: Passthrough}, hostname: a.example} | {port: 1, protocol: HTTPS, tls: {certificateRefs: [{name: good}]}, hostname: b.example} | none
            {port: 1, protocol: TLS, tls: {mode: Passthrough}} | {port: 1, protocol: HTTPS, tls: {certificateRefs: [{name: good}]}} | HostnameConflict
            """)
    void whenTwoListenersShareAPort(String one, String other, String want) {
        var listeners = "[" + one.replaceFirst("\\{", "{name: one, ") + ", "
                + other.replaceFirst("\\{", "{name: other, ") + "]";

        var status = new Draft("istio")
                .listeners(listeners)
                .service(BALANCED)
                .ready()
                .status();

        for (var listener : status.listeners()) {
            var conflicted = listener.conditions().get(1);
            assertThat(conflicted.reason()).isEqualTo(want.equals("none") ? "NoConflicts" : want);
            assertThat(conflicted.status() == StatusCondition.Status.TRUE).isNotEqualTo(want.equals("none"));
        }
        assertThat(text(status.conditions().subList(0, 1)))
                .isEqualTo(want.equals("none") ? "Accepted=True/Accepted" : "Accepted=False/ListenersNotValid");
    }

    @Test
    void givenOneBadListenerOfTwo_thenTheOtherServes() {
        var status = new Draft("istio")
                .listeners("[{name: a, port: 1, protocol: UDP}, {name: b, port: 2, protocol: HTTP}]")
                .service(BALANCED)
                .ready()
                .status();

        assertThat(text(status.conditions()))
                .isEqualTo("Accepted=True/ListenersNotValid Programmed=True/Programmed ResolvedRefs=True/ResolvedRefs");
        assertThat(listenerTexts(status).getLast()).contains("Accepted ").endsWith("Programmed HTTPRoute,GRPCRoute");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            {kind: ConfigMap, name: good}   | a=Accepted Conflicted- ResolvedRefs Programmed HTTPRoute,GRPCRoute
            {kind: ConfigMap, name: none}   | a=Accepted-NoValidCACertificate Conflicted- ResolvedRefs-InvalidCACertificateRef Programmed-Invalid HTTPRoute,GRPCRoute
            {kind: Service, name: wrong}    | a=Accepted-NoValidCACertificate Conflicted- ResolvedRefs-InvalidCACertificateKind Programmed-Invalid HTTPRoute,GRPCRoute
            {kind: ConfigMap, name: secret} | a=Accepted-NoValidCACertificate Conflicted- ResolvedRefs-RefNotPermitted Programmed-Invalid HTTPRoute,GRPCRoute
            """)
    void whenAuthoritiesForClientsAreJudged(String reference, String want) {
        var validation = "{validation: {caCertificateRefs: [{group: '', " + reference.substring(1) + "]}}";
        var listeners = """
                [{name: a, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: good}]}},
                 {name: plain, port: 80, protocol: HTTP}]
                """;
        for (var tls : List.of(
                "{frontend: {default: " + validation + "}}",
                "{frontend: {default: {}, perPort: [{port: 443, tls: " + validation + "}]}}")) {
            var status = new Draft("istio")
                    .listeners(listeners)
                    .tls(tls)
                    .service(BALANCED)
                    .ready()
                    .status();
            assertThat(listenerTexts(status))
                    .containsExactly(want, "plain=Accepted Conflicted- ResolvedRefs Programmed HTTPRoute,GRPCRoute");
        }
    }

    @Test
    void givenClientsThatNobodyVouchesFor_thenThatIsSaid() {
        var draft = new Draft("istio").service(BALANCED).ready();
        assertThat(text(draft.status().conditions())).doesNotContain("Insecure");
        draft.tls(
                "{frontend: {default: {validation: {mode: AllowInsecureFallback, caCertificateRefs: [{group: \"\", kind: ConfigMap, name: good}]}}}}");
        assertThat(text(draft.status().conditions()))
                .contains("InsecureFrontendValidationMode=True/ConfigurationChanged");
    }

    @ParameterizedTest
    @CsvSource({
        "good, True/ResolvedRefs",
        "none, False/InvalidClientCertificateRef",
        "secret, False/RefNotPermitted",
        "wrong, False/InvalidClientCertificateRef"
    })
    void whenTheCertificateForBackendsIsJudged(String name, String want) {
        var status = new Draft("istio")
                .tls("{backend: {clientCertificateRef: {name: " + name + "}}}")
                .service(BALANCED)
                .ready()
                .status();
        assertThat(text(status.conditions()))
                .isEqualTo("Accepted=True/Accepted Programmed=True/Programmed ResolvedRefs=" + want);
    }

    @Test
    void givenGatewayNotReady_thenListenersArePending() {
        assertThat(listenerTexts(new Draft("istio-waypoint").status()))
                .containsExactly("mesh=Accepted Conflicted- ResolvedRefs Programmed-Pending");
    }

    @Test
    void givenTheSameStatus_thenItIsSaidAlreadyAndTimesStay() {
        var before = tree(new Draft("istio-waypoint").status(), 1, Json.of(Map.of()), NOW);
        var later = NOW.plusSeconds(60);

        var same = tree(new Draft("istio-waypoint").status(), 1, before, later);
        var other = tree(new Draft("istio-waypoint").service(CLUSTER_IP).ready().status(), 1, before, later);

        assertThat(StatusTree.says(before, same)).isTrue();
        assertThat(Json.compact(same)).isEqualTo(Json.compact(before));
        assertThat(StatusTree.says(before, other)).isFalse();
        var times = new ArrayList<String>();
        Field.root(other)
                .at("conditions")
                .items()
                .forEach(condition -> times.add(condition.at("type").text() + " "
                        + condition.at("lastTransitionTime").text()));
        assertThat(times)
                .containsExactly(
                        "Accepted 2026-01-01T00:00:00Z",
                        "Programmed 2026-01-01T00:01:00Z",
                        "ResolvedRefs 2026-01-01T00:00:00Z");
    }

    @Test
    void givenAnotherGeneration_thenItIsToBeSaidAgain() {
        var before = tree(new Draft("istio-waypoint").status(), 1, Json.of(Map.of()), NOW);

        assertThat(StatusTree.says(before, tree(new Draft("istio-waypoint").status(), 2, before, NOW)))
                .isFalse();
    }

    @Test
    void givenConditionsOfOthers_thenTheyDoNotCount() {
        var before = Json.parse("before", """
                {"addresses": [], "listeners": [], "conditions": [{"type": "Theirs", "status": "True"}]}
                """);

        assertThat(StatusTree.says(before, Json.parse("wanted", "{\"conditions\": []}")))
                .isTrue();
    }

    private static Tree tree(GatewayStatus status, long generation, Tree before, Instant now) {
        return StatusTree.of(status, generation, before, now);
    }

    private static String text(List<StatusCondition> conditions) {
        return String.join(
                " ",
                conditions.stream()
                        .map(one -> one.type() + "=" + one.status().text() + "/" + one.reason())
                        .toList());
    }

    /// `-` marks what is false, with the reason where it is none of the usual ones.
    private static List<String> listenerTexts(GatewayStatus status) {
        return status.listeners().stream()
                .map(listener -> {
                    var words = new ArrayList<String>();
                    for (var condition : listener.conditions()) {
                        var no = condition.status() == StatusCondition.Status.FALSE;
                        var reason = no && !condition.reason().equals("NoConflicts") ? condition.reason() : "";
                        words.add(condition.type() + (no ? "-" : "") + reason);
                    }
                    var kinds = listener.supportedKinds().stream()
                            .map(RouteKind::kind)
                            .toList();
                    return listener.name() + "=" + String.join(" ", words)
                            + (kinds.isEmpty() ? "" : " " + String.join(",", kinds));
                })
                .toList();
    }

    /// A Gateway `shop/gw` without anything.
    static final class Draft {
        private final String className;
        private String listeners = "[{name: mesh, port: 15008, protocol: HBONE}]";
        private String addresses = "[]";
        private String tls = "{}";
        private String had = "[]";
        private Optional<Problem> refused = Optional.empty();
        private StatusPlanner.Home home = StatusPlanner.Home.CLUSTER;
        private Optional<Problem> failure = Optional.empty();
        private Optional<ServiceView> service = Optional.empty();
        private ProxyPresence proxies = ProxyPresence.NOT_READY;
        private List<String> unknown = List.of();

        Draft(String className) {
            this.className = className;
            if (className.equals("istio")) {
                listeners = "[{name: web, port: 80, protocol: HTTP}]";
            }
        }

        Draft listeners(String yaml) {
            listeners = yaml;
            return this;
        }

        Draft tls(String yaml) {
            tls = yaml;
            return this;
        }

        Draft wants(String yaml) {
            addresses = yaml;
            return this;
        }

        Draft had(String address) {
            had = "[{type: IPAddress, value: " + address + "}]";
            return this;
        }

        Draft refused(String message) {
            refused = Optional.of(Problem.ofInput("c", message, ""));
            return this;
        }

        Draft inFolder() {
            home = StatusPlanner.Home.FOLDER;
            return this;
        }

        Draft withoutPods() {
            proxies = ProxyPresence.NONE;
            return this;
        }

        Draft failure(String message) {
            failure = Optional.of(Problem.ofInput("c", message, ""));
            return this;
        }

        Draft service(ServiceView view) {
            service = Optional.of(view);
            return this;
        }

        Draft unknown(String host) {
            unknown = List.of(host);
            return this;
        }

        Draft ready() {
            proxies = ProxyPresence.READY;
            return this;
        }

        GatewayStatus status() {
            var scene = Scene.of("""
                    apiVersion: gateway.networking.k8s.io/v1
                    kind: Gateway
                    metadata: {name: gw, namespace: shop, uid: u}
                    spec: {gatewayClassName: %s, listeners: %s, addresses: %s, tls: %s}
                    status: {addresses: %s}
                    """.formatted(className, listeners, addresses, tls, had));
            var verdict = GatewayVerdict.of(
                    scene.gateway().manifest(), List.of(), _ -> true, scene.profile(), new NamedCertificates());
            var row = new GatewayRow(
                    verdict, Optional.empty(), "", proxies, service, unknown, Optional.empty(), Map.of());
            return new StatusPlanner("cluster.local", home).status(new GatewaySight(row, refused, failure));
        }
    }
}
