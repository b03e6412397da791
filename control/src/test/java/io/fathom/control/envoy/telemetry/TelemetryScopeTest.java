// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.envoyproxy.envoy.config.accesslog.v3.AccessLog;
import io.envoyproxy.envoy.config.accesslog.v3.AccessLogFilter;
import io.envoyproxy.envoy.config.accesslog.v3.ComparisonFilter;
import io.envoyproxy.envoy.config.accesslog.v3.StatusCodeFilter;
import io.envoyproxy.envoy.config.core.v3.RuntimeUInt32;
import io.envoyproxy.envoy.config.trace.v3.OpenTelemetryConfig;
import io.envoyproxy.envoy.config.trace.v3.ZipkinConfig;
import io.envoyproxy.envoy.extensions.access_loggers.file.v3.FileAccessLog;
import io.envoyproxy.envoy.extensions.access_loggers.grpc.v3.HttpGrpcAccessLogConfig;
import io.envoyproxy.envoy.extensions.access_loggers.grpc.v3.TcpGrpcAccessLogConfig;
import io.envoyproxy.envoy.extensions.access_loggers.open_telemetry.v3.OpenTelemetryAccessLogConfig;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy;
import io.fathom.control.envoy.Sketch;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.control.envoy.view.Situation;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest;
import io.fathom.wire.kube.telemetry.TelemetryManifest;
import io.fathom.wire.proto.envoy.Config;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TelemetryScopeTest {
    private static final Situation WAYPOINT = Sketch.behind(
            Sketch.proxies(ProxyRole.WAYPOINT, "proxies", "waypoint"), Sketch.service("apps", "echo", 80));
    private static final Situation INGRESS = Sketch.at(Sketch.proxies(ProxyRole.INGRESS, "edge", "gateway"));

    private static TelemetryScope scope(Situation situation, String mesh, String telemetries) {
        var config = """
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: istio, namespace: istio-system}
                data:
                  mesh: |
                """ + (mesh.isEmpty() ? "{}" : mesh).indent(4);
        return TelemetryScope.of(
                TelemetryScope.Settings.of(
                        Sketch.one(MeshConfigManifest.class, config).telemetry(), "m"),
                situation,
                telemetries.isEmpty() ? List.of() : Sketch.read(TelemetryManifest.class, telemetries),
                Sketch.destinations(Sketch.service("obs", "all", 9000), Sketch.service("obs", "zipkin", 9411)));
    }

    private static HttpConnectionManager http(TelemetryScope scope) {
        var manager = HttpConnectionManager.newBuilder();
        scope.addTo(manager);
        return manager.build();
    }

    private static List<String> paths(TelemetryScope scope) {
        return http(scope).getAccessLogList().stream()
                .filter(log -> log.getTypedConfig().is(FileAccessLog.class))
                .map(log -> unpack(log, FileAccessLog.class).getPath())
                .toList();
    }

    private static <M extends Message> M unpack(AccessLog log, Class<M> type) {
        try {
            return log.getTypedConfig().unpack(type);
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
    }

    private static String telemetry(String namespace, String name, String spec) {
        return """
                ---
                apiVersion: telemetry.istio.io/v1
                kind: Telemetry
                metadata: {name: %s, namespace: %s}
                spec:
                %s""".formatted(name, namespace, spec.indent(2));
    }

    static Stream<Arguments> precedence() {
        var root = telemetry("istio-system", "root", "accessLogging: [{providers: [{name: root}]}]");
        var ofClass = telemetry("istio-system", "class", """
                targetRefs: [{group: gateway.networking.k8s.io, kind: GatewayClass, name: istio-waypoint}]
                accessLogging: [{providers: [{name: class}]}]""");
        var proxies = telemetry("proxies", "proxies", "accessLogging: [{providers: [{name: proxies}]}]");
        var apps = telemetry("apps", "apps", "accessLogging: [{providers: [{name: apps}]}]");
        var gateway = telemetry("proxies", "gateway", """
                targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: waypoint}]
                accessLogging: [{providers: [{name: gateway}]}]""");
        var service = telemetry("apps", "service", """
                targetRef: {kind: Service, name: echo}
                accessLogging: [{providers: [{name: service}]}]""");
        var other = telemetry("apps", "other", """
                targetRefs: [{group: "", kind: Service, name: other}]
                accessLogging: [{providers: [{name: other}]}]""");
        var foreign = telemetry("foreign", "foreign", "accessLogging: [{providers: [{name: other}]}]");
        var selected = telemetry("proxies", "selected", """
                selector: {matchLabels: {app: waypoint}}
                accessLogging: [{providers: [{name: other}]}]""");
        return Stream.of(
                argumentSet("given none, then MeshConfig's defaults", "", List.of("/default")),
                argumentSet("given one for the mesh, then it wins", root, List.of("/root")),
                argumentSet("given one for the class, then it wins over the mesh's", ofClass + root, List.of("/class")),
                argumentSet(
                        "given the proxies' namespace, then it wins", root + proxies + ofClass, List.of("/proxies")),
                argumentSet("given the service's namespace, then it wins", apps + proxies + root, List.of("/apps")),
                argumentSet("given the Gateway by name, then it wins", gateway + apps + root, List.of("/gateway")),
                argumentSet("given the Service by name, then it wins", root + service + gateway, List.of("/service")),
                argumentSet("given another service's or namespace's, then not", other + foreign, List.of("/default")),
                argumentSet("given labels, then not: waypoints are named", selected, List.of("/default")));
    }

    @ParameterizedTest
    @MethodSource("precedence")
    void whenSeveralTelemetriesReach(String telemetries, List<String> want) {
        var mesh = new StringBuilder("defaultProviders: {accessLogging: [default]}\nextensionProviders:\n");
        for (var name : List.of("default", "root", "class", "proxies", "apps", "gateway", "service", "other")) {
            mesh.append("- {name: %s, envoyFileAccessLog: {path: /%s}}\n".formatted(name, name));
        }
        assertThat(paths(scope(WAYPOINT, mesh.toString(), telemetries))).isEqualTo(want);
    }

    /// Seed 000, line 333, spells it so.
    @ParameterizedTest
    @ValueSource(strings = {"istio-east-west", "istio-eastwest"})
    void givenTheClassBetweenNetworks_thenBothSpellingsMeanIt(String name) {
        var telemetry = telemetry("istio-system", "class", """
                targetRefs: [{group: gateway.networking.k8s.io, kind: GatewayClass, name: %s}]
                accessLogging: [{providers: [{name: envoy}]}]""".formatted(name));
        var between = Sketch.at(Sketch.proxies(ProxyRole.EAST_WEST, "edge", "between"));
        assertThat(paths(scope(between, "", telemetry))).containsExactly("/dev/stdout");
        assertThat(paths(scope(INGRESS, "", telemetry))).isEmpty();
    }

    static Stream<Arguments> logs() {
        return Stream.of(
                argumentSet("given nothing, then nothing", "", "", List.of()),
                argumentSet(
                        "given accessLogFile, then there", "accessLogFile: /dev/stderr", "", List.of("/dev/stderr")),
                argumentSet(
                        "given accessLogFile and the provider envoy switched off, then nothing",
                        "accessLogFile: /dev/stderr",
                        telemetry("istio-system", "t", "accessLogging: [{providers: [{name: envoy}], disabled: true}]"),
                        List.of()),
                argumentSet(
                        "given the provider envoy without a file, then standard output",
                        "",
                        telemetry("istio-system", "t", "accessLogging: [{providers: [{name: envoy}]}]"),
                        List.of("/dev/stdout")),
                argumentSet(
                        "given a mode of the other side, then not",
                        "",
                        telemetry(
                                "istio-system",
                                "t",
                                "accessLogging: [{match: {mode: CLIENT}, providers: [{name: envoy}]}]"),
                        List.of()),
                argumentSet(
                        "given a narrower one that switches off without a provider, then the wider one's is off",
                        "",
                        telemetry("istio-system", "t", "accessLogging: [{providers: [{name: envoy}]}]")
                                + telemetry("apps", "t", "accessLogging: [{disabled: true}]"),
                        List.of()));
    }

    @ParameterizedTest
    @MethodSource("logs")
    void whenLogsAreAskedFor(String mesh, String telemetries, List<String> want) {
        assertThat(paths(scope(WAYPOINT, mesh, telemetries))).isEqualTo(want);
    }

    @Test
    void givenJsonEncoding_thenLabelsAreWritten() {
        var scope = scope(WAYPOINT, "accessLogFile: /dev/stdout\naccessLogEncoding: JSON", "");
        var format = unpack(http(scope).getAccessLog(0), FileAccessLog.class).getLogFormat();
        assertThat(format.getJsonFormat()).isEqualTo(LogFormats.LABELS);
    }

    @Test
    void givenLogServices_thenRequestsAndConnectionsGoToTheirs() {
        var scope = scope(WAYPOINT, """
                defaultProviders: {accessLogging: [http, tcp, otel, gone]}
                extensionProviders:
                - {name: http, envoyHttpAls: {service: all.obs.svc.cluster.local, port: 9000, additionalRequestHeadersToLog: [x]}}
                - {name: tcp, envoyTcpAls: {service: obs/all.obs.svc.cluster.local, port: 9000}}
                - {name: otel, envoyOtelAls: {service: all.obs, port: 9000, logFormat: {labels: {code: "%RESPONSE_CODE%"}}}}
                - {name: gone, envoyHttpAls: {service: nobody.obs.svc.cluster.local, port: 9000}}
                """, "");
        var requests = http(scope).getAccessLogList();
        var proxy = TcpProxy.newBuilder();
        scope.addTo(proxy);

        assertThat(requests.get(0).getTypedConfig().is(HttpGrpcAccessLogConfig.class))
                .isTrue();
        var common = unpack(requests.get(0), HttpGrpcAccessLogConfig.class).getCommonConfig();
        assertThat(common.getGrpcService().getEnvoyGrpc().getClusterName())
                .isEqualTo("outbound|9000||all.obs.svc.cluster.local");
        var otel = unpack(requests.get(1), OpenTelemetryAccessLogConfig.class);
        assertThat(otel.getAttributes().getValues(0).getKey()).isEqualTo("code");
        assertThat(requests.get(2).getName()).isEqualTo("envoy.access_loggers.stats");
        assertThat(proxy.getAccessLogList())
                .extracting(AccessLog::getName)
                .containsExactly(
                        "envoy.access_loggers.tcp_grpc",
                        "envoy.access_loggers.open_telemetry",
                        "envoy.access_loggers.stats",
                        "envoy.access_loggers.stats");
        assertThat(proxy.getAccessLog(0).getTypedConfig().is(TcpGrpcAccessLogConfig.class))
                .isTrue();
        assertThat(scope.providers()).hasSize(1);
    }

    @Test
    void givenAnIngressGateway_thenItReportsAsTheSource() {
        var stats = unpack(http(scope(INGRESS, "", "")).getAccessLog(0), Config.class);
        var tags = stats.getCounters(0).getStat().getTagsList();
        assertThat(tags)
                .contains(tag("reporter", "source"), tag("source_workload", "gateway"))
                .contains(tag("source_workload_namespace", "edge"), tag("connection_security_policy", "unknown"));
        assertThat(tags)
                .filteredOn(tag -> tag.getName().equals("destination_service"))
                .first()
                .satisfies(tag -> assertThat(tag.getValueFormat()).contains("xds.cluster_metadata"));
    }

    private static Config.Tag tag(String name, String value) {
        return Config.Tag.newBuilder().setName(name).setValueFormat(value).build();
    }

    @Test
    void givenMetricsSwitchedOff_thenNoneAreKept() {
        var off = telemetry(
                "apps", "nothing", "metrics: [{providers: [{name: prometheus}], overrides: [{disabled: true}]}]");
        assertThat(http(scope(WAYPOINT, "", off)).getAccessLogList()).isEmpty();
        assertThat(http(scope(WAYPOINT, "defaultProviders: {metrics: []}", "")).getAccessLogList())
                .isEmpty();
        assertThat(http(scope(WAYPOINT, "defaultProviders: {}", "")).getAccessLogList())
                .hasSize(1);
    }

    @Test
    void givenAnExpressionOfIstiosOwnProxy_thenTheLabelIsUnknown() {
        var foreign = telemetry("apps", "own", """
                metrics: [{overrides: [{tagOverrides: {zone: {value: "upstream_peer.labels['zone'].value"}}}]}]""");
        var stats = unpack(http(scope(WAYPOINT, "", foreign)).getAccessLog(0), Config.class);
        assertThat(stats.getCounters(0).getStat().getTagsList()).contains(tag("zone", "unknown"));
    }

    static Stream<Arguments> tracing() {
        var provider =
                "extensionProviders: [{name: t, opentelemetry: {service: all.obs.svc.cluster.local, port: 9000}}]\n";
        var on = telemetry("istio-system", "t", "tracing: [{providers: [{name: t}], randomSamplingPercentage: 7.5}]");
        return Stream.of(
                argumentSet("given nothing, then no traces", WAYPOINT, "", "", -1.0),
                argumentSet(
                        "given a default provider, then one percent",
                        WAYPOINT,
                        provider + "defaultProviders: {tracing: [t]}",
                        "",
                        1.0),
                argumentSet(
                        "given defaultConfig.tracing, then that percentage",
                        WAYPOINT,
                        provider + "defaultProviders: {tracing: [t]}\ndefaultConfig: {tracing: {sampling: 30}}",
                        "",
                        30.0),
                argumentSet("given a Telemetry, then its percentage", WAYPOINT, provider, on, 7.5),
                argumentSet(
                        "given one that switches off, then no traces",
                        WAYPOINT,
                        provider,
                        on + telemetry("apps", "t", "tracing: [{disableSpanReporting: true}]"),
                        -1.0),
                argumentSet(
                        "given one for clients, then none at a waypoint",
                        WAYPOINT,
                        provider,
                        telemetry("istio-system", "t", "tracing: [{match: {mode: CLIENT}, providers: [{name: t}]}]"),
                        -1.0),
                argumentSet(
                        "given one for clients, then at a gateway",
                        INGRESS,
                        provider,
                        telemetry("istio-system", "t", "tracing: [{match: {mode: CLIENT}, providers: [{name: t}]}]"),
                        1.0),
                argumentSet("given a provider that is not there, then no traces", WAYPOINT, "", on, -1.0));
    }

    @ParameterizedTest
    @MethodSource("tracing")
    void whenTracesAreAskedFor(Situation situation, String mesh, String telemetries, double want) {
        var manager = http(scope(situation, mesh, telemetries));
        assertThat(
                        manager.hasTracing()
                                ? manager.getTracing().getRandomSampling().getValue()
                                : -1.0)
                .isEqualTo(want);
    }

    @Test
    void givenZipkinOfTheOldKind_thenItIsFoundByItsShortName() throws Exception {
        var scope = scope(
                WAYPOINT,
                "enableTracing: true\ndefaultConfig: {tracing: {zipkin: {address: \"zipkin.obs:9411\"}}}",
                "");
        var zipkin = http(scope).getTracing().getProvider().getTypedConfig().unpack(ZipkinConfig.class);
        assertThat(zipkin.getCollectorCluster()).isEqualTo("outbound|9411||zipkin.obs.svc.cluster.local");
        assertThat(zipkin.getCollectorEndpoint()).isEqualTo("/api/v2/spans");
    }

    @Test
    void givenOtelOverGrpc_thenTheProxyIsNamed() throws Exception {
        var mesh = """
                defaultProviders: {tracing: [t]}
                extensionProviders: [{name: t, opentelemetry: {service: all.obs.svc.cluster.local, port: 9000}}]""";
        var tracing = http(scope(WAYPOINT, mesh, "")).getTracing();
        var otel = tracing.getProvider().getTypedConfig().unpack(OpenTelemetryConfig.class);
        assertThat(otel.getServiceName()).isEqualTo("waypoint.proxies");
        assertThat(otel.getGrpcService().getEnvoyGrpc().getClusterName())
                .isEqualTo("outbound|9000||all.obs.svc.cluster.local");
        assertThat(tracing.hasSpawnUpstreamSpan()).isFalse();
    }

    @Test
    void givenTheTunnelLayer_thenOnlyItsFailuresAreLogged() {
        var failed = AccessLogFilter.newBuilder()
                .setStatusCodeFilter(StatusCodeFilter.newBuilder()
                        .setComparison(ComparisonFilter.newBuilder()
                                .setOp(ComparisonFilter.Op.GE)
                                .setValue(RuntimeUInt32.newBuilder().setDefaultValue(400))))
                .build();
        var logs = scope(WAYPOINT, "accessLogFile: /dev/stdout", "").failures(failed);
        assertThat(logs).hasSize(1).allMatch(log -> log.getFilter().equals(failed));
    }

    @Test
    void givenAFilterThatNoEnvoyTakes_thenNothingIsLoggedByIt() {
        var broken = "accessLogging: [{filter: {expression: 'response.code >='}}]";
        var mesh = "defaultProviders: {accessLogging: [envoy]}";
        assertThat(paths(scope(WAYPOINT, mesh, ""))).isNotEmpty();
        assertThat(paths(scope(WAYPOINT, mesh, telemetry("apps", "t", broken)))).isEmpty();
    }

    static Stream<Arguments> problems() {
        return Stream.of(
                argumentSet("no such provider", "tracing: [{providers: [{name: gone}]}]", "telemetry-no-provider"),
                argumentSet(
                        "one that takes no logs",
                        "accessLogging: [{providers: [{name: prometheus}]}]",
                        "telemetry-wrong-provider"),
                argumentSet(
                        "a metric that is not kept",
                        "metrics: [{overrides: [{match: {metric: GRPC_REQUEST_MESSAGES}}]}]",
                        "telemetry-unknown-metric"),
                argumentSet(
                        "an expression of Istio's own proxy",
                        "metrics: [{overrides: [{tagOverrides: {a: {value: downstream_peer.name}}}]}]",
                        "telemetry-bad-expression"),
                argumentSet(
                        "a filter of logs that no Envoy takes",
                        "accessLogging: [{filter: {expression: 'response.code >='}}]",
                        "telemetry-bad-expression"));
    }

    @ParameterizedTest
    @MethodSource("problems")
    void whenATelemetryHasNoEffect(String spec, String code) {
        var manifest = Sketch.one(TelemetryManifest.class, telemetry("apps", "t", spec));
        assertThat(TelemetryReview.problems(manifest, io.fathom.wire.kube.meshconfig.MeshTelemetry.NOTHING))
                .singleElement()
                .satisfies(problem -> assertThat(problem.problem().code()).isEqualTo(code));
    }
}
