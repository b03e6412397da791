// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.verify.deploy.Charts.Case;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Limits;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Charts as helm sees them: well-formed, strict about values, and the objects they give are those that were reviewed.
@Tag("slow")
@Timeout(300)
class ChartsTest {
    static Stream<String> names() {
        return Charts.names().stream();
    }

    static Stream<Case> cases() {
        return Charts.cases().stream();
    }

    @ParameterizedTest
    @MethodSource("names")
    void whenLinted_thenFlawless(String chart) {
        var ran = Charts.helm(List.of(
                "lint",
                Charts.FOLDER.resolve(chart).toString(),
                "--strict",
                "--kube-version=" + Charts.KUBE,
                "-n=istio-system"));
        assertThat(ran.text()).doesNotContain("[WARNING]", "[ERROR]");
        assertThat(ran.code()).isZero();
    }

    @ParameterizedTest
    @MethodSource("names")
    void givenAChart_thenItHasTheVersionOfTheProgramsAndCases(String chart) throws IOException {
        var version = Charts.version();
        assertThat(Files.readString(Charts.FOLDER.resolve(chart).resolve("Chart.yaml")))
                .contains("\nversion: " + version + "\n", "\nappVersion: " + version + "\n");
        assertThat(Charts.cases()).extracting(Case::chart).contains(chart);
    }

    /// fathomctl gives each chart the same shared values.
    @ParameterizedTest
    @MethodSource("names")
    void givenTheSharedValues_thenEveryChartKnowsThem(String chart) throws IOException {
        assertThat(shared(chart)).isNotEmpty().isEqualTo(shared("fathomd"));
    }

    private static String shared(String chart) throws IOException {
        var schema = Files.readString(Charts.FOLDER.resolve(chart).resolve("values.schema.json"));
        return Json.compact(Json.parse(chart, schema))
                .replaceAll(".*\"properties\":\\{\"global\":(.*?),\"revision\".*", "$1");
    }

    @ParameterizedTest
    @MethodSource("cases")
    void givenValues_thenTheObjectsAreTheReviewedOnes(Case what) throws IOException {
        // each release has another version, and so another sum of what it stands in
        var rendered = Charts.render(what)
                .replace(Charts.version(), "VERSION")
                .replaceAll("(fathom.io/config: )\"[0-9a-f]{16}\"", "$1\"SUM\"");
        if ("write".equals(System.getProperty("fathom.golden"))) {
            Files.writeString(what.golden(), rendered);
        }
        assertThat(rendered).isEqualTo(Files.readString(what.golden()));
    }

    static Stream<Arguments> mistakes() {
        return Stream.of(
                argumentSet("text for a number", "fathomd", "replicaCount=many", "/replicaCount", "want integer"),
                argumentSet("a misspelt name", "fathomd", "replicas=2", "replicas", "not allowed"),
                argumentSet("a misspelt shared name", "ztunnel", "global.hubs=x", "hubs", "not allowed"),
                argumentSet(
                        "text for a flag",
                        "fathom-cni",
                        "ambient.dnsCapture=maybe",
                        "/ambient/dnsCapture",
                        "want boolean"),
                argumentSet("an unknown level", "fathom-cni", "logLevel=loud", "/logLevel", "must be one of"),
                argumentSet("a revision that is no name", "ztunnel", "revision=Blue_1", "/revision", "does not match"),
                argumentSet("a list for text", "fathom-base", "defaultRevision={a}", "/defaultRevision", "want string"),
                argumentSet("an unknown kind", "fathom-gateway", "kind=Pod", "/kind", "must be one of"),
                argumentSet(
                        "an account without namespace",
                        "fathomd",
                        "trustedNodeAccounts={x}",
                        "/trustedNodeAccounts/0",
                        "does not match"),
                argumentSet(
                        "a control plane without TLS",
                        "fathom-agent",
                        "controlPlane.url=http://istiod:15010",
                        "/controlPlane/url",
                        "does not match"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void givenAMistakeInValues_thenTheRefusalNamesIt(String chart, String setting, String where, String why) {
        var ran = Charts.template(chart, "--set", setting);
        assertThat(ran.code()).isNotZero();
        assertThat(ran.text()).contains(chart + ":", where, why);
    }

    @Test
    void givenAStockIstiod_thenTheAgentMayWriteEntries_andTellsNobody() {
        var values = List.of("--set=servers={s:9900}", "--namespace=istio-system", "--set=controlPlane.stock=true");

        var stock = Charts.template("fathom-agent", values.toArray(String[]::new));

        assertThat(stock.text())
                .contains("FATHOM_AGENT_STOCK_ISTIOD", "resources: [serviceentries, workloadentries]")
                .doesNotContain("CONTROL_PLANE", "istio-token");
        var both = new ArrayList<>(values);
        both.add("--set=controlPlane.url=https://istiod:15012");
        assertThat(Charts.template("fathom-agent", both.toArray(String[]::new)).text())
                .contains("a stock istiod listens to no agent");
    }

    /// A control plane listens to agents of its own namespace only.
    @Test
    void givenAnAgentOutsideTheNamespaceOfTheControlPlane_thenItSpeaksToNone_andIsRefusedOne() {
        var values = List.of("--set", "servers={fleet.example.com:9900}", "--set", "global.istioNamespace=mesh");
        var alone = Charts.template("fathom-agent", values.toArray(String[]::new));
        assertThat(alone.code()).as(alone.text()).isZero();
        assertThat(alone.text()).contains("name: fathom-agent").doesNotContain("CONTROL_PLANE", "istio-token");

        var named =
                Stream.concat(values.stream(), Stream.of("--set", "controlPlane.url=https://istiod.mesh.svc:15012"));
        var ran = Charts.template("fathom-agent", named.toArray(String[]::new));
        assertThat(ran.code()).isNotZero();
        assertThat(ran.text()).contains("controlPlane.url", "its own namespace only, mesh");
    }

    /// What stock istioctl looks for.
    @Test
    void givenTheDefaults_thenNamesAndLabelsAreUpstreams() {
        var control = object("fathomd", "Deployment", "istiod");
        var labels =
                control.at("spec").at("template").at("metadata").at("labels").textMap();
        assertThat(labels).containsEntry("app", "istiod").containsEntry("istio", "pilot");
        assertThat(labels).containsEntry("istio.io/rev", "default");
        assertThat(container(control)).isEqualTo("discovery");
        var proxy = object("ztunnel", "DaemonSet", "ztunnel");
        assertThat(proxy.at("spec").at("template").at("metadata").at("labels").textMap())
                .containsEntry("app", "ztunnel");
        assertThat(container(proxy)).isEqualTo("istio-proxy");
        var agent = object("fathom-cni", "DaemonSet", "istio-cni-node");
        assertThat(agent.at("spec").at("template").at("metadata").at("labels").textMap())
                .containsEntry("k8s-app", "istio-cni-node");
        assertThat(container(agent)).isEqualTo("install-cni");
        assertThat(object("fathomd", "ConfigMap", "istio").at("data").at("mesh").text())
                .contains("rootNamespace: istio-system");
        assertThat(object("fathom-base", "MutatingWebhookConfiguration", "istio-revision-tag-default")
                        .at("metadata")
                        .at("labels")
                        .textMap())
                .containsEntry("istio.io/rev", "default");
        assertThat(object("fathomd", "Service", "istiod").at("spec").at("ports").items().stream()
                        .map(port -> port.at("port").requiredInteger(1, 65535))
                        .collect(Collectors.toSet()))
                .containsExactlyInAnyOrder(15010, 15012, 443, 15014);
    }

    private static String container(Field workload) {
        return workload.at("spec")
                .at("template")
                .at("spec")
                .at("containers")
                .items()
                .getFirst()
                .at("name")
                .text();
    }

    private static Field object(String chart, String kind, String name) {
        return Documents.ofYaml(chart, Charts.render(new Case(chart, "default")), Limits.DEFAULT).stream()
                .map(document -> Field.root(((Document.Parsed) document).root()))
                .filter(root -> root.at("kind").text().equals(kind)
                        && root.at("metadata").at("name").text().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError(chart + " has no " + kind + " " + name));
    }
}
