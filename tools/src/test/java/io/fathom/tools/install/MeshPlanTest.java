// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.tree.Json;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class MeshPlanTest {
    @Test
    void givenNothing_thenAllChartsWithTheirDefaults() {
        var plan = plan("{}");
        assertThat(plan.values().keySet()).containsExactlyInAnyOrderElementsOf(Chart.PARTS);
        assertThat(plan.namespace()).isEqualTo("istio-system");
        assertThat(json(plan, Chart.NODE_PROXY)).isEqualTo("{\"global\":{},\"revision\":\"\"}");
    }

    @Test
    void givenGlobalValues_thenEachChartHasThem() {
        var plan = plan("""
                {"hub": "registry", "tag": 5, "values": {"global": {"network": "n1",
                 "multiCluster": {"clusterName": "c1"}, "proxy": {"clusterDomain": "example.org"}}}}""");
        for (var chart : Chart.PARTS) {
            assertThat(json(plan, chart)).contains("""
                    "global":{"network":"n1","clusterID":"c1","domain":"example.org","hub":"registry","tag":5}""");
        }
    }

    @Test
    void givenValuesOfOnePart_thenOnlyItsChartHasThem() {
        var plan = plan("""
                {"meshConfig": {"a": 1}, "values": {"pilot": {"replicaCount": 2}, "ztunnel": {"logLevel": "debug"},
                 "meshConfig": {"a": 0, "b": 2}, "defaultRevision": "blue"}}""");
        assertThat(json(plan, Chart.CONTROL_PLANE))
                .contains("\"replicaCount\":2", "\"meshConfig\":{\"a\":1,\"b\":2}")
                .doesNotContain("debug", "blue");
        assertThat(json(plan, Chart.NODE_PROXY))
                .contains("\"logLevel\":\"debug\"")
                .doesNotContain("replicaCount");
        assertThat(json(plan, Chart.NODE_AGENT)).isEqualTo("{\"global\":{},\"revision\":\"\"}");
        assertThat(json(plan, Chart.BASE)).contains("\"defaultRevision\":\"blue\"");
    }

    @Test
    void givenARevision_thenTheControlPlaneHasAReleaseOfItsOwn() {
        var plan = plan("{\"revision\": \"canary\"}");
        assertThat(plan.revision()).isEqualTo("canary");
        assertThat(json(plan, Chart.NODE_PROXY)).contains("\"revision\":\"canary\"");
        assertThat(Chart.CONTROL_PLANE.release("canary")).isEqualTo("istiod-canary");
        assertThat(Chart.CONTROL_PLANE.release("default")).isEqualTo("istiod");
        assertThat(Chart.NODE_PROXY.release("canary")).isEqualTo("ztunnel");
    }

    @Test
    void givenADisabledComponent_thenItsChartIsNotWanted() {
        assertThat(plan("{\"components\": {\"cni\": {\"enabled\": false}}}")
                        .values()
                        .keySet())
                .containsExactlyInAnyOrder(Chart.BASE, Chart.CONTROL_PLANE, Chart.NODE_PROXY);
    }

    @Test
    void givenWhatOnlyUpstreamKnows_thenItIsTakenOrLeftOutWithARemark() {
        var plan = plan("""
                {"components": {"ingressGateways": [{"name": "a", "enabled": false}, {"name": "b", "enabled": true}],
                                "egressGateways": [{"name": "c", "enabled": false}]},
                 "values": {"gateways": {"istio-ingressgateway": {"type": "NodePort"}},
                            "global": {"networkPolicy": {"enabled": true}, "proxy": {"logLevel": "debug"}},
                            "pilot": {"autoscaleEnabled": false, "autoscaleMax": 9, "taint": {"enabled": true},
                                      "keepaliveMaxServerConnectionAge": "30m"},
                            "cni": {"repair": {"enabled": true}}}}""");
        assertThat(json(plan, Chart.CONTROL_PLANE))
                .contains("\"autoscale\":{\"enabled\":false,\"max\":9}", "\"global\":{\"networkPolicy\":true}")
                .contains("\"taint\":{\"enabled\":true}")
                .doesNotContain("keepalive", "proxy");
        assertThat(json(plan, Chart.NODE_AGENT)).doesNotContain("repair");
        assertThat(plan.remarks())
                .extracting(remark -> remark.substring(0, remark.indexOf(' ')))
                .as("nothing of what is switched off")
                .containsExactly(
                        "values.cni.repair", "values.global.proxy", "values.pilot.keepaliveMaxServerConnectionAge");
    }

    @Test
    void givenGatewaysOfUpstream_thenEachThatIsEnabledIsAReleaseOfTheGatewayChart() {
        var plan = plan("""
                {"namespace": "mesh", "hub": "example.com/fathom", "revision": "blue",
                 "components": {
                   "ingressGateways": [
                     {"name": "off", "enabled": false},
                     {"enabled": true},
                     {"name": "edge", "namespace": "edge", "enabled": true, "label": {"istio": "edge"},
                      "k8s": {"replicaCount": 2, "env": [{"name": "A", "value": "b"}],
                              "serviceAnnotations": {"x": "y"},
                              "service": {"type": "ClusterIP", "ports": [{"port": 80}], "clusterIP": "10.0.0.1"},
                              "hpaSpec": {"maxReplicas": 4},
                              "overlays": []}}],
                   "egressGateways": [{"name": "out", "enabled": true}]},
                 "values": {"gateways": {"istio-ingressgateway": {"type": "NodePort", "secretVolumes": []}}}}""");
        assertThat(plan.gateways())
                .extracting(gateway -> gateway.namespace() + "/" + gateway.name())
                .containsExactly("mesh/istio-ingressgateway", "edge/edge", "mesh/out");
        assertThat(plan.gateways())
                .extracting(gateway -> Json.compact(gateway.values()))
                .allSatisfy(values -> assertThat(values)
                        .contains("\"istioNamespace\":\"mesh\"", "\"hub\":\"example.com/fathom\"")
                        .contains("\"revision\":\"blue\""))
                .satisfiesExactly(
                        usual -> assertThat(usual).contains("\"service\":{\"type\":\"NodePort\"}"),
                        edge -> assertThat(edge)
                                .contains(
                                        "\"replicaCount\":2",
                                        "\"labels\":{\"istio\":\"edge\"}",
                                        "\"env\":{\"A\":\"b\"}")
                                .contains("\"annotations\":{\"x\":\"y\"}", "\"ports\":[{\"port\":80}]")
                                .contains("\"max\":4", "\"enabled\":true", "\"type\":\"ClusterIP\""),
                        out -> assertThat(out).contains("\"service\":{\"type\":\"ClusterIP\"}"));
        assertThat(plan.remarks())
                .extracting(remark -> remark.substring(0, remark.indexOf(' ')))
                .containsExactlyInAnyOrder(
                        "values.gateways.istio-ingressgateway.secretVolumes",
                        "components.ingressGateways[2].k8s.service.clusterIP",
                        "components.ingressGateways[2].k8s.overlays");
    }

    @Test
    void givenACompliancePolicyOfTheControlPlane_thenItsGatewaysHaveItUnlessTheySayOtherwise() {
        var plan = plan("""
                {"components": {
                   "ingressGateways": [
                     {"enabled": true},
                     {"name": "own", "k8s": {"env": [{"name": "COMPLIANCE_POLICY", "value": "fips-140-2"}]}}]},
                 "values": {"pilot": {"env": {"COMPLIANCE_POLICY": "pqc"}}}}""");

        assertThat(plan.gateways())
                .extracting(gateway -> Json.compact(gateway.values()))
                .satisfiesExactly(
                        usual -> assertThat(usual).contains("\"env\":{\"COMPLIANCE_POLICY\":\"pqc\"}"),
                        own -> assertThat(own).contains("\"env\":{\"COMPLIANCE_POLICY\":\"fips-140-2\"}"));
    }

    @Test
    void givenAChartAndItsVersion_thenKnown() {
        assertThat(Chart.of("ztunnel-0.1.0-SNAPSHOT")).contains(Chart.NODE_PROXY);
        assertThat(Chart.of("fathomd-1.0.0")).contains(Chart.CONTROL_PLANE);
        assertThat(Chart.of("ztunnel-exporter-1.0.0")).isEmpty();
    }

    static Stream<Arguments> wrong() {
        return Stream.of(
                argumentSet("an unknown word", "{\"hubs\": \"x\"}", "hubs", "hub"),
                argumentSet("an unknown part", "{\"values\": {\"gatewais\": {}}}", "values.gatewais", "ztunnel"),
                argumentSet("an unknown component", "{\"components\": {\"x\": {}}}", "components.x", "pilot"),
                argumentSet("overlays", "{\"components\": {\"cni\": {\"k8s\": {}}}}", "components.cni.k8s", "enabled"),
                argumentSet("another profile", "{\"profile\": \"demo\"}", "demo", "ambient"),
                argumentSet(
                        "text for a flag",
                        "{\"components\": {\"cni\": {\"enabled\": \"no\"}}}",
                        "components.cni.enabled",
                        "true or false"));
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void givenAMistake_thenNamedWithAFix(String spec, String message, String fix) {
        assertThatThrownBy(() -> plan(spec)).isInstanceOfSatisfying(ProblemException.class, e -> {
            assertThat(e.problem().message()).contains(message);
            assertThat(e.problem().fix()).contains(fix);
        });
    }

    private static MeshPlan plan(String spec) {
        return MeshPlan.of(Json.parse("spec", spec), "istio-system");
    }

    private static String json(MeshPlan plan, Chart chart) {
        return Json.compact(Objects.requireNonNull(plan.values().get(chart)));
    }
}
