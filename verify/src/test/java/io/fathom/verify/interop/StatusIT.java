// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fathom.base.flow.Table;
import io.fathom.base.lang.SystemTimeline;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.status.FullStatus;
import io.fathom.control.problem.ObjectProblem;
import io.fathom.control.status.Statements;
import io.fathom.control.status.StatusDesk;
import io.fathom.control.status.StatusWriter;
import io.fathom.control.status.WriteObserver;
import io.fathom.control.status.WriteSettings;
import io.fathom.verify.client.RunningFathomd;
import io.fathom.verify.peers.KubeApiServer;
import io.fathom.verify.peers.StockProgram;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.ManifestKinds;
import io.fathom.wire.kube.ManifestReader;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.Reading;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeConfig;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.api.KubeQuery;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.api.KubeSettings;
import io.fathom.wire.kube.api.ObjectWatch.Change;
import io.fathom.wire.kube.core.NamespaceManifest;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.extension.EnvoyFilterManifest;
import io.fathom.wire.kube.extension.WasmPluginManifest;
import io.fathom.wire.kube.gateway.BackendTlsPolicyManifest;
import io.fathom.wire.kube.gateway.BackendTrafficPolicyManifest;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.gateway.HttpRouteManifest;
import io.fathom.wire.kube.networking.DestinationRuleManifest;
import io.fathom.wire.kube.networking.ServiceEntryManifest;
import io.fathom.wire.kube.networking.VirtualServiceManifest;
import io.fathom.wire.kube.networking.WorkloadEntryManifest;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest;
import io.fathom.wire.kube.security.RequestAuthenticationManifest;
import io.fathom.wire.kube.telemetry.TelemetryManifest;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Limits;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.RootCertificate;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What the control plane says about objects arrives in their status in a real API server, and only when it changes.
@Tag("slow")
class StatusIT {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final KubeResource GATEWAYS =
            new KubeResource("gateway.networking.k8s.io", "v1", "gateways", KubeResource.Scope.NAMESPACE);
    private static final KubeResource ROUTES =
            new KubeResource("gateway.networking.k8s.io", "v1", "httproutes", KubeResource.Scope.NAMESPACE);
    private static final Map<String, KubeResource> KINDS = Stream.of(
                    NamespaceManifest.class,
                    ServiceManifest.class,
                    ServiceEntryManifest.class,
                    WorkloadEntryManifest.class,
                    AuthorizationPolicyManifest.class,
                    RequestAuthenticationManifest.class,
                    VirtualServiceManifest.class,
                    DestinationRuleManifest.class,
                    EnvoyFilterManifest.class,
                    TelemetryManifest.class,
                    WasmPluginManifest.class,
                    GatewayManifest.class,
                    HttpRouteManifest.class,
                    BackendTlsPolicyManifest.class,
                    BackendTrafficPolicyManifest.class)
            .collect(Collectors.toMap(type -> ManifestKinds.of(type).kind(), KubeResource::of));

    @AutoClose
    private static KubeApiServer cluster;

    @AutoClose
    private static KubeClient client;

    @AutoClose
    private static RunningFathomd fathomd;

    @BeforeAll
    static void start() {
        cluster = KubeApiServer.start(InstantSource.system());
        client = new KubeClient(KubeConfig.fromFile(cluster.kubeconfig()), KubeSettings.DEFAULT);
        apply("{apiVersion: v1, kind: Namespace, metadata: {name: istio-system}}");
        fathomd = RunningFathomd.governing(cluster.kubeconfig(), Map.of());
    }

    @Test
    void whenObjectsAreApplied_thenTheyGetConditionsUnderUpstreamsFieldManagers() {
        namespace("shop");
        apply("""
                apiVersion: v1
                kind: Service
                metadata: {name: web, namespace: shop, labels: {istio.io/use-waypoint: wp}}
                spec: {ports: [{port: 80}]}
                """);
        apply("""
                apiVersion: networking.istio.io/v1
                kind: WorkloadEntry
                metadata: {name: vm, namespace: shop, labels: {istio.io/use-waypoint: wp}}
                spec: {address: 10.9.9.9}
                """);
        apply("""
                apiVersion: security.istio.io/v1
                kind: AuthorizationPolicy
                metadata: {name: audit, namespace: shop}
                spec: {action: AUDIT}
                """);
        apply("""
                apiVersion: security.istio.io/v1
                kind: AuthorizationPolicy
                metadata: {name: audit-too, namespace: shop}
                spec: {action: AUDIT}
                """);
        apply("""
                apiVersion: security.istio.io/v1
                kind: AuthorizationPolicy
                metadata: {name: allow, namespace: shop}
                spec: {rules: [{from: [{source: {namespaces: [shop]}}]}]}
                """);
        apply("""
                apiVersion: security.istio.io/v1
                kind: AuthorizationPolicy
                metadata: {name: target, namespace: shop}
                spec: {targetRefs: [{kind: Service, group: "", name: missing}]}
                """);
        awaitConditions("Service", "shop", "web", "istio.io/WaypointBound=False WaypointIsNotReady");
        awaitConditions("WorkloadEntry", "shop", "vm", "istio.io/WaypointBound=False WaypointIsNotReady");
        awaitConditions("AuthorizationPolicy", "shop", "audit", "ZtunnelAccepted=False UnsupportedValue");
        awaitConditions("AuthorizationPolicy", "shop", "audit-too", "ZtunnelAccepted=False UnsupportedValue");
        awaitConditions("AuthorizationPolicy", "shop", "allow", "ZtunnelAccepted=True Accepted");
        awaitConditions("AuthorizationPolicy", "shop", "target", "WaypointAccepted=False TargetNotFound");
        assertThat(managers("Service", "shop", "web")).contains("istio-ambient-service");
        assertThat(managers("WorkloadEntry", "shop", "vm")).contains("istio-ambient-workloadentry");
        assertThat(managers("AuthorizationPolicy", "shop", "allow")).contains("istio-ambient-ztunnel-policy");
        assertThat(managers("AuthorizationPolicy", "shop", "target")).contains("istio-ambient-waypoint-policy");
        assertThat(condition("AuthorizationPolicy", "shop", "allow")
                        .at("observedGeneration")
                        .integer(0, 99))
                .hasValue(1);

        gateway("shop", "wp");
        ready("shop", "wp");
        awaitConditions("Service", "shop", "web", "istio.io/WaypointBound=True WaypointAccepted");
        var since = condition("Service", "shop", "web").at("lastTransitionTime").text();

        // an edit that changes nothing of it, and one that takes it away
        apply("""
                apiVersion: security.istio.io/v1
                kind: AuthorizationPolicy
                metadata: {name: allow, namespace: shop}
                spec: {rules: [{from: [{source: {namespaces: [shop, other]}}]}]}
                """);
        await().atMost(LONG)
                .until(() -> condition("AuthorizationPolicy", "shop", "allow")
                        .at("observedGeneration")
                        .integer(0, 99)
                        .equals(OptionalInt.of(2)));
        assertThat(condition("Service", "shop", "web").at("lastTransitionTime").text())
                .isEqualTo(since);
        apply("""
                apiVersion: v1
                kind: Service
                metadata: {name: web, namespace: shop}
                spec: {ports: [{port: 80}]}
                """);
        awaitConditions("Service", "shop", "web", "");
    }

    @Test
    void givenConditionsOfOthers_thenTheyStay() {
        namespace("others");
        var entry = """
                apiVersion: networking.istio.io/v1
                kind: WorkloadEntry
                metadata: {name: vm, namespace: others%s}
                spec: {address: 10.9.9.8}
                """;
        apply(entry.formatted(""));
        client.patchStatus(
                KubeResource.of(WorkloadEntryManifest.class),
                "others",
                "vm",
                Json.of(Map.of("status", Map.of("conditions", List.of(Map.of("type", "Healthy", "status", "True"))))));
        apply(entry.formatted(", labels: {istio.io/use-waypoint: none-such}"));
        awaitConditions(
                "WorkloadEntry", "others", "vm", "Healthy=True  istio.io/WaypointBound=False WaypointIsNotReady");
        apply(entry.formatted(""));
        awaitConditions("WorkloadEntry", "others", "vm", "Healthy=True ");
    }

    @Test
    void givenEntriesWithoutAddresses_thenTheirStatusGetsSomeAndTheyAreServed() {
        namespace("ext");
        entry("one", "{name: one, namespace: ext}");
        await().atMost(LONG).until(() -> addresses("ext", "one").size() == 2);
        var first = addresses("ext", "one");
        assertThat(first).allSatisfy(address -> assertThat(address).startsWith("one.example.com="));
        await().atMost(LONG)
                .until(() -> fathomd.text("/debug/ambientz")
                        .contains(first.getFirst().split("=", 2)[1]));

        // opting out clears, coming back gives addresses again, and a condition beside them stays
        entry("one", "{name: one, namespace: ext, labels: {istio.io/use-waypoint: none-such}}");
        awaitConditions("ServiceEntry", "ext", "one", "istio.io/WaypointBound=False WaypointIsNotReady");
        entry(
                "one",
                "{name: one, namespace: ext, labels: {istio.io/use-waypoint: none-such,"
                        + " networking.istio.io/enable-autoallocate-ip: \"false\"}}");
        await().atMost(LONG).until(() -> addresses("ext", "one").isEmpty());
        entry("one", "{name: one, namespace: ext, labels: {istio.io/use-waypoint: none-such}}");
        await().atMost(LONG).until(() -> addresses("ext", "one").size() == 2);
        awaitConditions("ServiceEntry", "ext", "one", "istio.io/WaypointBound=False WaypointIsNotReady");

        // somebody writes nonsense into it
        var right = addresses("ext", "one");
        client.patchStatus(
                KubeResource.of(ServiceEntryManifest.class),
                "ext",
                "one",
                Json.of(Map.of("status", Map.of("addresses", List.of(Map.of("value", "x", "host", "y"))))));
        await().atMost(LONG).until(() -> addresses("ext", "one").equals(right));
    }

    @Test
    void givenManyServices_whenTheirWaypointComes_thenEachIsWrittenOnceForEachChangeAndNeverForOurOwnWrites() {
        namespace("storm");
        gateway("storm", "wp");
        var count = 100;
        var versions = new ConcurrentHashMap<String, Integer>();
        var all = KubeQuery.all(KubeResource.SERVICES).inNamespace("storm");
        try (var watch =
                client.watch(all, batch -> batch.forEach(change -> versions.merge(name(change), 1, Integer::sum)))) {
            await().atMost(LONG).until(watch::isSynced);
            for (var i = 0; i < count; i++) {
                storming("s" + i);
            }
            await().atMost(LONG).until(() -> counted(all, "WaypointIsNotReady") == count);
            ready("storm", "wp");
            await().atMost(LONG).until(() -> counted(all, "WaypointAccepted") == count);
            // whatever our own writes would have caused comes before this one
            storming("last");
            awaitConditions("Service", "storm", "last", "istio.io/WaypointBound=True WaypointAccepted");
            await().atMost(LONG).until(() -> versions.getOrDefault("last", 0) == 2);
        }
        versions.remove("last");
        assertThat(versions).hasSize(count);
        assertThat(versions.values()).as("made, and written twice").allMatch(version -> version == 3);
        assertThat(fathomd.text("/metrics")).contains("fathom_status_looks{kind=\"Service\",outcome=\"written\"}");
    }

    @Test
    void givenAnotherControlPlaneThatDoesNotLead_thenItServesTheAddressesThatAreWritten() {
        namespace("replicas");
        try (var follower = RunningFathomd.governing(cluster.kubeconfig(), Map.of())) {
            for (var i = 0; i < 5; i++) {
                entry("r" + i, "{name: r%d, namespace: replicas}".formatted(i));
            }
            for (var i = 0; i < 5; i++) {
                var name = "r" + i;
                await().atMost(LONG).until(() -> addresses("replicas", name).size() == 2);
                for (var address : addresses("replicas", name)) {
                    var ip = address.split("=", 2)[1];
                    await().atMost(LONG)
                            .until(() -> follower.text("/debug/ambientz").contains("\"" + ip + "\"")
                                    || follower.text("/debug/ambientz").contains("/" + ip));
                }
            }
            assertThat(follower.text("/metrics")).contains("fathom_leads_addresses 0", "fathom_leads_status 0");
            assertThat(fathomd.text("/metrics")).contains("fathom_leads_addresses 1", "fathom_leads_status 1");
        }
    }

    @Test
    void givenARoute_thenItSaysWhatBecameOfItAtOurParentsAndLeavesThoseOfOthersAlone() {
        namespace("routes");
        apply("""
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: wp, namespace: routes}
                spec: {gatewayClassName: istio, listeners: [{name: http, port: 80, protocol: HTTP}]}
                """);
        apply("""
                apiVersion: gateway.networking.k8s.io/v1
                kind: HTTPRoute
                metadata: {name: r, namespace: routes}
                spec:
                  parentRefs: [{name: wp}, {group: "", kind: Service, name: web}, {name: not-there}]
                  rules: [{backendRefs: [{name: web, port: 80}]}]
                """);
        awaitRoute("wp Accepted BackendNotFound", "web NoMatchingParent BackendNotFound NoMatchingParent");
        var theirs = Map.of(
                "controllerName", "their.example/controller",
                "parentRef", Map.of("name", "not-there"),
                "conditions",
                        List.of(Map.of(
                                "type", "Accepted",
                                "status", "True",
                                "reason", "Theirs",
                                "message", "",
                                "lastTransitionTime", "2026-01-01T00:00:00Z")));
        client.editStatus(
                ROUTES,
                "routes",
                "r",
                List.of(Json.of(Map.of("op", "add", "path", "/status/parents/0", "value", theirs))));
        apply("{apiVersion: v1, kind: Service, metadata: {name: web, namespace: routes}, spec: {ports: [{port: 80}]}}");
        awaitRoute("not-there Theirs", "wp Accepted ResolvedRefs", "web Accepted ResolvedRefs MissingUseWaypointLabel");
        await("the Gateway counts its routes")
                .atMost(LONG)
                .untilAsserted(() -> assertThat(get("Gateway", "routes", "wp")
                                .root()
                                .at("status")
                                .at("listeners")
                                .items())
                        .singleElement()
                        .satisfies(listener -> assertThat(
                                        listener.at("attachedRoutes").integer(0, 9))
                                .hasValue(1)));
    }

    @Test
    void givenObjectsThatEnvoysCannotFollow_thenEachSaysWhyUntilItIsMended() {
        namespace("envoys");
        gateway("envoys", "wp");
        ready("envoys", "wp");
        var service = """
                apiVersion: v1
                kind: Service
                metadata: {name: %s, namespace: envoys, labels: {istio.io/use-waypoint: wp}}
                spec: {ports: [{port: 80}]}
                """;
        apply(service.formatted("web"));
        var rules = """
                apiVersion: networking.istio.io/v1
                kind: VirtualService
                metadata: {name: rules, namespace: envoys}
                spec: {hosts: [web], http: [{route: [{destination: {host: later}}]}]}
                """;
        apply(rules);
        apply("""
                apiVersion: networking.istio.io/v1
                kind: DestinationRule
                metadata: {name: rule, namespace: envoys}
                spec: {host: later}
                """);
        apply("""
                apiVersion: networking.istio.io/v1alpha3
                kind: EnvoyFilter
                metadata: {name: patch, namespace: envoys}
                spec:
                  configPatches:
                  - {applyTo: CLUSTER, match: {context: SIDECAR_OUTBOUND}, patch: {operation: REMOVE}}
                """);
        apply("""
                apiVersion: telemetry.istio.io/v1
                kind: Telemetry
                metadata: {name: spans, namespace: envoys}
                spec: {tracing: [{providers: [{name: nobody}]}]}
                """);
        apply("""
                apiVersion: extensions.istio.io/v1alpha1
                kind: WasmPlugin
                metadata: {name: module, namespace: envoys}
                spec:
                  targetRefs: [{kind: Gateway, group: gateway.networking.k8s.io, name: wp}]
                  url: http://127.0.0.1:1/none.wasm
                """);
        apply("""
                apiVersion: security.istio.io/v1
                kind: AuthorizationPolicy
                metadata: {name: asks, namespace: envoys}
                spec:
                  action: CUSTOM
                  provider: {name: nobody}
                  targetRefs: [{kind: Service, group: "", name: web}]
                  rules: [{}]
                """);
        apply("""
                apiVersion: security.istio.io/v1
                kind: RequestAuthentication
                metadata: {name: tokens, namespace: envoys}
                spec:
                  targetRefs: [{kind: Service, group: "", name: web}]
                  jwtRules: [{issuer: i, jwksUri: "http://127.0.0.1:1/keys"}]
                """);
        awaitConditions("VirtualService", "envoys", "rules", "EnvoyAccepted=False VirtualServiceDestination");
        awaitConditions("DestinationRule", "envoys", "rule", "EnvoyAccepted=False DestinationRuleHost");
        awaitConditions("EnvoyFilter", "envoys", "patch", "EnvoyAccepted=False EnvoyfilterNoSidecars");
        awaitConditions("Telemetry", "envoys", "spans", "EnvoyAccepted=False TelemetryNoProvider");
        awaitConditions("WasmPlugin", "envoys", "module", "WaypointAccepted=True PartiallyInvalid");
        awaitConditions("AuthorizationPolicy", "envoys", "asks", "WaypointAccepted=True PartiallyInvalid");
        awaitConditions("RequestAuthentication", "envoys", "tokens", "WaypointAccepted=True PartiallyInvalid");
        assertThat(condition("AuthorizationPolicy", "envoys", "asks")
                        .at("message")
                        .text())
                .contains("names provider nobody, which there is not", "(fix: ");
        assertThat(condition("RequestAuthentication", "envoys", "tokens")
                        .at("message")
                        .text())
                .contains("cannot be fetched");

        // an edit that mends nothing: it is still about the object as it is
        apply(rules.replace("{destination: {host: later}}", "{destination: {host: later, port: {number: 81}}}"));
        await().atMost(LONG)
                .until(() -> condition("VirtualService", "envoys", "rules")
                        .at("observedGeneration")
                        .integer(0, 99)
                        .equals(OptionalInt.of(2)));
        apply(service.formatted("later"));
        awaitConditions("DestinationRule", "envoys", "rule", "");
        apply(rules);
        awaitConditions("VirtualService", "envoys", "rules", "");
    }

    @Test
    void givenPoliciesForAServiceBehindAWaypoint_thenTheySayWhatBecameOfThemThere() {
        namespace("inside");
        gateway("inside", "wp");
        ready("inside", "wp");
        apply("""
                apiVersion: v1
                kind: Service
                metadata: {name: web, namespace: inside, labels: {istio.io/use-waypoint: wp}}
                spec: {ports: [{port: 443}]}
                """);
        apply("""
                apiVersion: gateway.networking.k8s.io/v1
                kind: BackendTLSPolicy
                metadata: {name: tls, namespace: inside}
                spec:
                  targetRefs: [{kind: Service, group: "", name: web}]
                  validation: {hostname: web.example, caCertificateRefs: [{kind: ConfigMap, group: "", name: ca}]}
                """);
        apply("""
                apiVersion: gateway.networking.x-k8s.io/v1alpha1
                kind: XBackendTrafficPolicy
                metadata: {name: budget, namespace: inside}
                spec:
                  targetRefs: [{kind: Service, group: "", name: web}]
                  retryConstraint: {budget: {percent: 10}}
                """);
        awaitAncestor("BackendTLSPolicy", "tls", "NoValidCACertificate", "InvalidCACertificateRef");
        awaitAncestor("XBackendTrafficPolicy", "budget", "Accepted", "ResolvedRefs");

        var authority = Pem.encode(RootCertificate.create(
                KeyAlgorithm.P256.generate(), "users", InstantSource.system().instant(), Duration.ofDays(1)));
        client.apply(
                KubeResource.CONFIG_MAPS,
                "inside",
                "ca",
                Json.of(Map.of(
                        "apiVersion",
                        "v1",
                        "kind",
                        "ConfigMap",
                        "metadata",
                        Map.of("name", "ca", "namespace", "inside"),
                        "data",
                        Map.of("ca.crt", authority))),
                "test");
        awaitAncestor("BackendTLSPolicy", "tls", "Accepted", "ResolvedRefs");
        assertThat(fathomd.text("/debug/sourcez"))
                .contains("configmaps in inside with metadata.name=ca")
                .doesNotContain("\"configmaps\"");
    }

    private static void awaitAncestor(String kind, String name, String... reasons) {
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(get(kind, "inside", name)
                                .root()
                                .at("status")
                                .at("ancestors")
                                .items())
                        .singleElement()
                        .satisfies(ancestor -> {
                            assertThat(ancestor.at("ancestorRef").at("name").text())
                                    .isEqualTo("wp");
                            assertThat(ancestor.at("conditions").items())
                                    .extracting(each -> each.at("reason").text())
                                    .containsExactly(reasons);
                        }));
    }

    private static void awaitRoute(String... want) {
        await().atMost(LONG).untilAsserted(() -> {
            var found = get("HTTPRoute", "routes", "r").root().at("status").at("parents").items().stream()
                    .map(parent -> parent.at("parentRef").at("name").text() + " "
                            + String.join(
                                    " ",
                                    parent.at("conditions").items().stream()
                                            .map(condition ->
                                                    condition.at("reason").text())
                                            .toList()))
                    .toList();
            assertThat(found).containsExactly(want);
        });
    }

    @Test
    void whenATermBegins_thenEverythingIsComparedOnceAndNothingIsWrittenAfterItsEnd() throws Exception {
        namespace("terms");
        var entry = """
                apiVersion: networking.istio.io/v1
                kind: WorkloadEntry
                metadata: {name: %s, namespace: terms, labels: {istio.io/rev: other%s}}
                spec: {address: 10.9.9.7}
                """;
        apply(entry.formatted("vm", ", istio.io/use-waypoint: none-such"));
        apply(entry.formatted("left", ""));
        client.patchStatus(
                KubeResource.of(WorkloadEntryManifest.class),
                "terms",
                "left",
                Json.of(Map.of(
                        "status",
                        Map.of("conditions", List.of(Map.of("type", "istio.io/WaypointBound", "status", "True"))))));
        var problems = new AtomicReference<Table<ManifestId, List<ObjectProblem>>>();
        var gateways = new AtomicReference<Table<ManifestId, FullStatus>>();
        var mesh = new AmbientMesh(AmbientConfig.of(Map.of("REVISION", "other")), flow -> {
            problems.set(flow.flow().source("problems"));
            gateways.set(flow.flow().source("gateway-statuses"));
        });
        var counts = new ConcurrentHashMap<WriteObserver.WriteResult, Integer>();
        var timeline = new SystemTimeline();
        var writer = new StatusWriter(new StatusDesk(
                client,
                "Kubernetes",
                mesh,
                new Statements(mesh, Objects.requireNonNull(problems.get()), Objects.requireNonNull(gateways.get())),
                timeline,
                WriteSettings.DEFAULT,
                (_, outcome) -> counts.merge(outcome, 1, Integer::sum)));
        feed(mesh, "vm");
        feed(mesh, "left");
        try (timeline;
                var _ = writer.begin()) {
            awaitConditions("WorkloadEntry", "terms", "vm", "istio.io/WaypointBound=False WaypointIsNotReady");
            awaitConditions("WorkloadEntry", "terms", "left", ""); // an earlier leader's
        }
        assertThat(counts).isEqualTo(Map.of(WriteObserver.WriteResult.WRITTEN, 2));

        apply(entry.formatted("vm", ""));
        feed(mesh, "vm");
        assertThat(conditions(get("WorkloadEntry", "terms", "vm"))).isNotEmpty();
        try (timeline;
                var _ = writer.begin()) {
            awaitConditions("WorkloadEntry", "terms", "vm", "");
        }
        assertThat(counts).isEqualTo(Map.of(WriteObserver.WriteResult.WRITTEN, 3));
    }

    /// As a source of that revision would.
    private static void feed(AmbientMesh mesh, String name) {
        var reader = new ManifestReader(ReaderConfig.of("Kubernetes", "other", "istio-system"));
        var readings = reader.read(get("WorkloadEntry", "terms", name).tree(), _ -> Instant.EPOCH);
        mesh.apply(List.of(new ManifestChange.Put(((Reading.Good) readings.getFirst()).manifest())));
    }

    @Test
    void givenANegativeCondition_thenStockIstioctlReportsIt() throws Exception {
        var istioctl = StockProgram.ISTIOCTL.require();
        namespace("analysed");
        apply("""
                apiVersion: v1
                kind: Service
                metadata: {name: web, namespace: analysed, labels: {istio.io/use-waypoint: wp}}
                spec: {ports: [{port: 80}]}
                """);
        awaitConditions("Service", "analysed", "web", "istio.io/WaypointBound=False WaypointIsNotReady");
        var process = new ProcessBuilder(
                        istioctl.toString(),
                        "analyze",
                        "-n",
                        "analysed",
                        "--kubeconfig",
                        cluster.kubeconfig().toString())
                .redirectErrorStream(true)
                .start();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(output).contains("IST0171").contains("WaypointIsNotReady");
    }

    private static void namespace(String name) {
        apply("{apiVersion: v1, kind: Namespace, metadata: {name: %s}}".formatted(name));
    }

    private static void entry(String host, String metadata) {
        apply("""
                apiVersion: networking.istio.io/v1
                kind: ServiceEntry
                metadata: %s
                spec: {hosts: [%s.example.com], resolution: DNS, ports: [{name: http, number: 80, protocol: HTTP}]}
                """.formatted(metadata, host));
    }

    /// One of another controller's: nobody but the test says whether it is ready.
    private static void gateway(String namespace, String name) {
        gateway(namespace, name, "theirs");
    }

    private static void gateway(String namespace, String name, String className) {
        apply("""
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: %s, namespace: %s}
                spec:
                  gatewayClassName: %s
                  listeners: [{name: mesh, port: 15008, protocol: HBONE}]
                """.formatted(name, namespace, className));
    }

    private static void ready(String namespace, String name) {
        client.patchStatus(
                GATEWAYS,
                namespace,
                name,
                Json.of(Map.of(
                        "status", Map.of("addresses", List.of(Map.of("type", "IPAddress", "value", "10.1.2.3"))))));
    }

    private static void apply(String yaml) {
        var document =
                (Document.Parsed) Documents.ofYaml("test", yaml, Limits.DEFAULT).getFirst();
        var object = new KubeObject(document.root());
        client.apply(kind(object.kind()), object.namespace(), object.name(), object.tree(), "test");
    }

    private static KubeResource kind(String name) {
        return Objects.requireNonNull(KINDS.get(name));
    }

    private static KubeObject get(String kind, String namespace, String name) {
        return client.get(kind(kind), namespace, name).orElseThrow();
    }

    private static void awaitConditions(String kind, String namespace, String name, String want) {
        await(kind + " " + name)
                .atMost(LONG)
                .untilAsserted(
                        () -> assertThat(conditions(get(kind, namespace, name))).isEqualTo(want));
    }

    private static String conditions(KubeObject object) {
        var found = new TreeMap<String, String>();
        for (var condition : object.root().at("status").at("conditions").items()) {
            found.put(
                    condition.at("type").text(),
                    condition.at("status").text() + " " + condition.at("reason").text());
        }
        var texts = new ArrayList<String>();
        found.forEach((type, text) -> texts.add(type + "=" + text));
        return String.join(" ", texts);
    }

    private static Field condition(String kind, String namespace, String name) {
        return get(kind, namespace, name)
                .root()
                .at("status")
                .at("conditions")
                .items()
                .getFirst();
    }

    private static List<String> managers(String kind, String namespace, String name) {
        return get(kind, namespace, name).metadata().at("managedFields").items().stream()
                .map(field -> field.at("manager").text())
                .toList();
    }

    private static List<String> addresses(String namespace, String name) {
        return get("ServiceEntry", namespace, name).root().at("status").at("addresses").items().stream()
                .map(address ->
                        address.at("host").text() + "=" + address.at("value").text())
                .sorted()
                .toList();
    }

    private static void storming(String name) {
        apply("""
                apiVersion: v1
                kind: Service
                metadata: {name: %s, namespace: storm, labels: {istio.io/use-waypoint: wp}}
                spec: {clusterIP: None, ports: [{port: 80}]}
                """.formatted(name));
    }

    private static long counted(KubeQuery query, String reason) {
        return client.list(query).items().stream()
                .filter(object -> conditions(object).endsWith(reason))
                .count();
    }

    private static String name(Change change) {
        return switch (change) {
            case Change.Put put -> put.object().name();
            case Change.Remove gone -> gone.name();
        };
    }
}
