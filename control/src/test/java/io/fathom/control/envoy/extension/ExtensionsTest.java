// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.extension;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.StringValue;
import io.envoyproxy.envoy.config.core.v3.TypedExtensionConfig;
import io.envoyproxy.envoy.config.listener.v3.Filter;
import io.envoyproxy.envoy.extensions.filters.http.wasm.v3.Wasm;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.envoyproxy.envoy.extensions.wasm.v3.FailurePolicy;
import io.fathom.control.envoy.Sketch;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.control.envoy.view.Situation;
import io.fathom.wire.kube.extension.ExtensionManifest;
import io.fathom.wire.kube.extension.TrafficExtension.Phase;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExtensionsTest {
    private static final Situation WAYPOINT = Sketch.behind(
            Sketch.proxies(ProxyRole.WAYPOINT, "apps", "waypoint"), Sketch.service("apps", "echo", 80, 81));
    private static final Situation INGRESS = Sketch.at(Sketch.proxies(ProxyRole.INGRESS, "apps", "gateway"));
    private static final Modules READY = _ -> new ModuleState.Ready(ByteString.copyFrom(TinyModule.BYTES));
    private static final String TARGET = "targetRefs: [{kind: Service, name: echo}]";

    private static String plugin(String name, String spec) {
        return """
                ---
                apiVersion: extensions.istio.io/v1alpha1
                kind: WasmPlugin
                metadata: {name: %s, namespace: apps}
                spec:
                  url: registry.example/%s:v1
                %s""".formatted(name, name, spec.indent(2));
    }

    private static Extensions extensions(Situation situation, String yaml) {
        return Extensions.of(
                situation,
                Sketch.read(yaml).stream().map(ExtensionManifest.class::cast).toList());
    }

    private static String named(String name) {
        return "extensions.istio.io/trafficextension/apps." + name;
    }

    @Test
    void givenPhasesAndPriorities_thenFiltersAreInOrder() {
        var found = extensions(
                WAYPOINT,
                plugin("late", TARGET + "\nphase: AUTHN\npriority: 1")
                        + plugin("early", TARGET + "\nphase: AUTHN\npriority: 10")
                        + plugin("b", TARGET)
                        + plugin("a", TARGET)
                        + plugin("tcp", TARGET + "\ntype: NETWORK"));
        assertThat(found.http(Phase.AUTHN, 80))
                .extracting(HttpFilter::getName)
                .containsExactly(named("early"), named("late"));
        assertThat(found.http(Phase.UNSPECIFIED, 80))
                .extracting(HttpFilter::getName)
                .containsExactly(named("a"), named("b"));
        assertThat(found.http(Phase.STATS, 80)).isEmpty();
        assertThat(found.network(Phase.UNSPECIFIED, 80))
                .extracting(Filter::getName)
                .containsExactly(named("tcp"));
        assertThat(found.sources()).extracting(ModuleSource::url).contains("oci://registry.example/a:v1");
    }

    @Test
    void givenAMatch_thenOtherPortsAndSidesAreLeftOut() {
        var found = extensions(
                WAYPOINT,
                plugin("port", TARGET + "\nmatch: [{ports: [{number: 81}]}]")
                        + plugin("client", TARGET + "\nmatch: [{mode: CLIENT}]"));
        assertThat(found.http(Phase.UNSPECIFIED, 80)).isEmpty();
        assertThat(found.http(Phase.UNSPECIFIED, 81))
                .extracting(HttpFilter::getName)
                .containsExactly(named("port"));
    }

    @Test
    void givenNoTarget_thenOnlyGatewaysAreReached() {
        var wide = plugin("wide", "") + plugin("labels", "selector: {matchLabels: {app: gateway}}");
        assertThat(extensions(WAYPOINT, wide).isEmpty()).isTrue();
        assertThat(extensions(INGRESS, wide).http(Phase.UNSPECIFIED, 80)).hasSize(2);
    }

    @Test
    void givenBothKindsWithOneName_thenTheNewerKindHasIt() throws Exception {
        var both = plugin("x", TARGET) + """
                ---
                apiVersion: extensions.istio.io/v1alpha1
                kind: TrafficExtension
                metadata: {name: x, namespace: apps}
                spec: {targetRefs: [{kind: Service, name: echo}], lua: {inlineCode: "-- nothing"}}
                """;
        assertThat(extensions(WAYPOINT, both).resources(READY))
                .hasSize(1)
                .extracting(config -> config.getTypedConfig().getTypeUrl())
                .containsExactly("type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua");
    }

    @Test
    void givenAModule_thenItsResourceTellsAllOfIt() throws Exception {
        var spec = TARGET + """

                pluginName: root
                pluginConfig: {a: [1, x]}
                failStrategy: FAIL_OPEN
                vmConfig: {env: [{name: A, value: b}, {name: HOME, valueFrom: HOST}]}""";
        var plugin =
                only(extensions(WAYPOINT, plugin("m", spec)).resources(READY)).getConfig();
        assertThat(plugin.getName()).isEqualTo("apps.m");
        assertThat(plugin.getRootId()).isEqualTo("root");
        assertThat(plugin.getFailurePolicy()).isEqualTo(FailurePolicy.FAIL_OPEN);
        assertThat(plugin.getConfiguration().unpack(StringValue.class).getValue())
                .isEqualTo("{\"a\":[1,\"x\"]}");
        assertThat(plugin.getVmConfig().getEnvironmentVariables().getKeyValuesMap())
                .containsEntry("A", "b");
        assertThat(plugin.getVmConfig().getEnvironmentVariables().getHostEnvKeysList())
                .containsExactly("HOME");
        assertThat(plugin.getVmConfig().getCode().getLocal().getInlineBytes().toByteArray())
                .isEqualTo(TinyModule.BYTES);
    }

    @Test
    void givenAFile_thenTheProxyReadsIt_andNothingIsFetched() throws Exception {
        var found = extensions(WAYPOINT, plugin("f", TARGET).replace("registry.example/f:v1", "file:///opt/f.wasm"));
        assertThat(found.sources()).isEmpty();
        assertThat(only(found.resources(READY))
                        .getConfig()
                        .getVmConfig()
                        .getCode()
                        .getLocal()
                        .getFilename())
                .isEqualTo("/opt/f.wasm");
    }

    @Test
    void givenAPendingModule_thenThereIsNoResourceYet() {
        assertThat(extensions(WAYPOINT, plugin("p", TARGET)).resources(_ -> new ModuleState.Pending()))
                .isEmpty();
    }

    private static Wasm only(List<TypedExtensionConfig> resources) throws Exception {
        assertThat(resources).hasSize(1);
        return resources.getFirst().getTypedConfig().unpack(Wasm.class);
    }
}
