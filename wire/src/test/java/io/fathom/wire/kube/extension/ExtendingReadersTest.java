// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.extension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.wire.kube.Reads;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.ApplyTo;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.ClusterMatch;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.Context;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.ListenerMatch;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.Operation;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.RouteAction;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.RoutesMatch;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.WaypointMatch;
import io.fathom.wire.kube.extension.TrafficExtension.FailStrategy;
import io.fathom.wire.kube.extension.TrafficExtension.Layer;
import io.fathom.wire.kube.extension.TrafficExtension.Lua;
import io.fathom.wire.kube.extension.TrafficExtension.Phase;
import io.fathom.wire.kube.extension.TrafficExtension.PullPolicy;
import io.fathom.wire.kube.extension.TrafficExtension.Traffic;
import io.fathom.wire.kube.extension.TrafficExtension.Wasm;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest;
import io.fathom.wire.kube.meshconfig.MeshTelemetry.LogEncoding;
import io.fathom.wire.kube.meshconfig.MeshTelemetry.TracingSwitch;
import io.fathom.wire.kube.meshconfig.TelemetryProvider;
import io.fathom.wire.kube.meshconfig.TelemetryProvider.Backend;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.PolicyTarget;
import io.fathom.wire.kube.telemetry.TelemetryManifest;
import io.fathom.wire.kube.telemetry.TelemetryManifest.AccessLogging;
import io.fathom.wire.kube.telemetry.TelemetryManifest.MetricOverride;
import io.fathom.wire.kube.telemetry.TelemetryManifest.TagOverride;
import io.fathom.wire.kube.telemetry.TelemetryManifest.Tracing;
import io.fathom.wire.kube.telemetry.TraceTag;
import io.fathom.wire.kube.telemetry.TrafficMode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// The kinds that change what proxies tell and run.
class ExtendingReadersTest {
    @Test
    void givenATelemetry_thenEverythingIsRead() {
        var telemetry = Reads.one(TelemetryManifest.class, """
                apiVersion: telemetry.istio.io/v1
                kind: Telemetry
                metadata: {name: t, namespace: shop}
                spec:
                  targetRefs: [{group: "", kind: Service, name: web}]
                  tracing:
                  - match: {mode: CLIENT}
                    providers: [{name: otel}]
                    randomSamplingPercentage: 12.5
                    disableSpanReporting: false
                    enableIstioTags: false
                    useRequestIdForTraceSampling: false
                    customTags:
                      a: {literal: {value: x}}
                      b: {environment: {name: HOME, defaultValue: none}}
                      c: {header: {name: x-c}}
                      d: {formatter: {value: "%PROTOCOL%"}}
                  metrics:
                  - providers: [{name: prometheus}]
                    reportingInterval: 5s
                    overrides:
                    - match: {metric: REQUEST_COUNT, mode: SERVER}
                      disabled: true
                      tagOverrides: {host: {value: request.host}, app: {operation: REMOVE}}
                    - match: {customMetric: mine}
                  accessLogging:
                  - providers: [{name: envoy}]
                    filter: {expression: response.code >= 400}
                  - disabled: true
                """);

        assertThat(telemetry.targets()).containsExactly(new PolicyTarget("", "Service", "web"));
        assertThat(telemetry.tracing())
                .containsExactly(new Tracing(
                        TrafficMode.CLIENT,
                        List.of("otel"),
                        Optional.of(12.5),
                        Optional.of(false),
                        Map.of(
                                "a", new TraceTag.Literal("x"),
                                "b", new TraceTag.Environment("HOME", "none"),
                                "c", new TraceTag.RequestHeader("x-c", ""),
                                "d", new TraceTag.Formatted("%PROTOCOL%")),
                        Optional.of(false),
                        Optional.of(false),
                        Optional.empty()));
        assertThat(telemetry.metrics().getFirst().overrides())
                .containsExactly(
                        new MetricOverride(
                                "REQUEST_COUNT",
                                TrafficMode.SERVER,
                                Optional.of(true),
                                Map.of(
                                        "host",
                                        new TagOverride.Upsert("request.host"),
                                        "app",
                                        new TagOverride.Remove())),
                        new MetricOverride("mine", TrafficMode.CLIENT_AND_SERVER, Optional.empty(), Map.of()));
        assertThat(telemetry.accessLogging())
                .containsExactly(
                        new AccessLogging(
                                TrafficMode.CLIENT_AND_SERVER,
                                List.of("envoy"),
                                Optional.empty(),
                                Optional.of("response.code >= 400")),
                        new AccessLogging(
                                TrafficMode.CLIENT_AND_SERVER, List.of(), Optional.of(true), Optional.empty()));
    }

    @Test
    void givenMeshConfig_thenItsTelemetryIsRead() {
        var mesh = Reads.one(MeshConfigManifest.class, """
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: istio, namespace: istio-system}
                data:
                  mesh: |
                    accessLogFile: /dev/stdout
                    accessLogEncoding: JSON
                    accessLogFormat: '{"a": "%PROTOCOL%"}'
                    enableTracing: true
                    defaultProviders: {tracing: [z], metrics: [], accessLogging: [f]}
                    defaultConfig:
                      tracing: {sampling: 5, zipkin: {address: "zipkin:9411"}, maxPathTagLength: 64, customTags: {a: {literal: {value: b}}}}
                    extensionProviders:
                    - {name: z, zipkin: {service: zipkin.obs, port: 9411, enable64bitTraceId: true}}
                    - {name: f, envoyFileAccessLog: {logFormat: {labels: {b: "%PROTOCOL%"}}}}
                    - {name: authz, envoyExtAuthzHttp: {service: a, port: 80}}
                    - {name: s, stackdriver: {}}
                """).telemetry();

        assertThat(mesh.logFile()).isEqualTo("/dev/stdout");
        assertThat(mesh.logEncoding()).isEqualTo(LogEncoding.JSON);
        assertThat(mesh.logFormat()).isEqualTo("{\"a\":\"%PROTOCOL%\"}");
        assertThat(mesh.tracingSwitch()).isEqualTo(TracingSwitch.ON);
        assertThat(mesh.metricsProviders()).contains(List.of());
        assertThat(mesh.tracing().sampling()).contains(5.0);
        assertThat(mesh.tracing().zipkin()).isEqualTo("zipkin:9411");
        assertThat(mesh.tracing().tags()).containsEntry("a", new TraceTag.Literal("b"));
        assertThat(mesh.providers()).hasSize(3);
        assertThat(mesh.provider("z"))
                .contains(new TelemetryProvider.Zipkin(
                        "z", new Backend("zipkin.obs", 9411), 0, "", TelemetryProvider.Zipkin.IdLength.BITS_64));
        assertThat(mesh.provider("s")).contains(new TelemetryProvider.Unsupported("s", "stackdriver"));
        assertThat(mesh.provider("prometheus")).isPresent();
        assertThat(mesh.provider("authz")).isEmpty();
    }

    @Test
    void givenAWasmPlugin_thenEverythingIsRead() {
        var hash = "0A".repeat(32);
        var plugin = Reads.one(WasmPluginManifest.class, """
                apiVersion: extensions.istio.io/v1alpha1
                kind: WasmPlugin
                metadata: {name: p, namespace: shop}
                spec:
                  selector: {matchLabels: {app: gateway}}
                  url: registry.example/team/p:v1
                  sha256: %s
                  imagePullPolicy: Always
                  imagePullSecret: login
                  pluginConfig: {a: [1, true]}
                  pluginName: root
                  phase: AUTHZ
                  priority: 7
                  failStrategy: FAIL_OPEN
                  type: NETWORK
                  match: [{mode: SERVER, ports: [{number: 80}]}]
                  vmConfig: {env: [{name: A, value: b}, {name: HOME, valueFrom: HOST}]}
                """.formatted(hash)).extension();

        assertThat(plugin.selector()).contains(Map.of("app", "gateway"));
        assertThat(plugin.phase()).isEqualTo(Phase.AUTHZ);
        assertThat(plugin.priority()).isEqualTo(7);
        assertThat(plugin.match()).containsExactly(new Traffic(TrafficMode.SERVER, List.of(80)));
        assertThat(plugin.covers(TrafficMode.SERVER, 80)).isTrue();
        assertThat(plugin.covers(TrafficMode.CLIENT, 80)).isFalse();
        assertThat(plugin.program())
                .isEqualTo(new Wasm(
                        "oci://registry.example/team/p:v1",
                        "0a".repeat(32),
                        PullPolicy.ALWAYS,
                        "login",
                        "{\"a\":[1,true]}",
                        "root",
                        FailStrategy.OPEN,
                        Layer.NETWORK,
                        Map.of("A", "b"),
                        List.of("HOME")));
    }

    @Test
    void givenAScript_thenItIsRead() {
        var script = Reads.one(TrafficExtensionManifest.class, script("-- nothing"));
        assertThat(script.extension().program()).isEqualTo(new Lua("-- nothing"));
        assertThat(script.kind()).isEqualTo("TrafficExtension");
    }

    private static String script(String code) {
        return """
                apiVersion: extensions.istio.io/v1alpha1
                kind: TrafficExtension
                metadata: {name: s}
                spec: {lua: {inlineCode: "%s"}}
                """.formatted(code);
    }

    @Test
    void givenAnEnvoyFilter_thenEverythingIsRead() {
        var filter = Reads.one(EnvoyFilterManifest.class, """
                apiVersion: networking.istio.io/v1alpha3
                kind: EnvoyFilter
                metadata: {name: f, namespace: shop}
                spec:
                  workloadSelector: {labels: {app: gateway}}
                  priority: -3
                  configPatches:
                  - applyTo: HTTP_FILTER
                    match:
                      context: GATEWAY
                      listener: {portNumber: 80, filterChain: {sni: a.example, filter: {name: hcm, subFilter: {name: router}}}}
                    patch: {operation: INSERT_BEFORE, value: {name: x, typed_config: {"@type": t, n: 1.5}}}
                  - applyTo: CLUSTER
                    match: {cluster: {service: web.shop, portNumber: 80, subset: v1}}
                    patch: {operation: REMOVE}
                  - applyTo: HTTP_ROUTE
                    match: {routeConfiguration: {gateway: shop/gw, vhost: {name: v, route: {name: r, action: ROUTE}}}}
                    patch: {operation: MERGE, value: {}}
                  - applyTo: NETWORK_FILTER
                    match: {context: WAYPOINT, waypoint: {portNumber: 80, filter: {name: tcp}}}
                    patch: {operation: ADD, value: {name: y}}
                """);

        assertThat(filter.selector()).contains(Map.of("app", "gateway"));
        assertThat(filter.priority()).isEqualTo(-3);
        var patches = filter.patches();
        assertThat(patches.get(0).applyTo()).isEqualTo(ApplyTo.HTTP_FILTER);
        assertThat(patches.get(0).context()).isEqualTo(Context.GATEWAY);
        assertThat(patches.get(0).match())
                .isEqualTo(new ListenerMatch(80, "", "", "", "a.example", "", "", 0, "hcm", "router"));
        assertThat(patches.get(0).operation()).isEqualTo(Operation.INSERT_BEFORE);
        assertThat(patches.get(0).value()).isEqualTo("{\"name\":\"x\",\"typed_config\":{\"@type\":\"t\",\"n\":1.5}}");
        assertThat(patches.get(1).match()).isEqualTo(new ClusterMatch(80, "web.shop", "v1", ""));
        assertThat(patches.get(1).value()).isEmpty();
        assertThat(patches.get(2).match())
                .isEqualTo(new RoutesMatch(0, "", "shop/gw", "", "v", "", "r", RouteAction.ROUTE));
        assertThat(patches.get(3).match()).isEqualTo(new WaypointMatch(80, "", "tcp", ""));
    }

    static Stream<Arguments> mistakes() {
        var plugin = """
                apiVersion: extensions.istio.io/v1alpha1
                kind: WasmPlugin
                metadata: {name: p}
                spec: {url: %s, sha256: "%s"}
                """;
        var telemetry = """
                apiVersion: telemetry.istio.io/v1
                kind: Telemetry
                metadata: {name: t}
                spec: {%s}
                """;
        return Stream.of(
                argumentSet("a script of more than 64 KiB", script("x".repeat(64 * 1024 + 1)), "spec.lua.inlineCode"),
                argumentSet("an address that nobody fetches", plugin.formatted("ftp://x/y", ""), "spec.url"),
                argumentSet("no hash", plugin.formatted("oci://x.example/y", "abc"), "spec.sha256"),
                argumentSet(
                        "more than all requests",
                        telemetry.formatted("tracing: [{randomSamplingPercentage: 101}]"),
                        "spec.tracing[0].randomSamplingPercentage"),
                argumentSet(
                        "a metric that is not there",
                        telemetry.formatted("metrics: [{overrides: [{match: {metric: REQUESTS}}]}]"),
                        "spec.metrics[0].overrides[0].match.metric"),
                argumentSet(
                        "a tag from nowhere",
                        telemetry.formatted("tracing: [{customTags: {a: {}}}]"),
                        "spec.tracing[0].customTags.a"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void whenSomethingIsWrong(String yaml, String field) {
        assertThat(Reads.problem(yaml).field()).isEqualTo(field);
    }
}
