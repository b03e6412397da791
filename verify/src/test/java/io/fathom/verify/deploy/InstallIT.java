// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fathom.tools.cli.Fathomctl;
import io.fathom.verify.deploy.Charts.Case;
import io.fathom.verify.peers.KubeApiServer;
import io.fathom.verify.peers.StockProgram;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeConfig;
import io.fathom.wire.kube.api.KubeQuery;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.api.KubeSettings;
import io.fathom.wire.kube.tree.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// `fathomctl install` and its siblings, and what the charts consist of, on a real API server. There is no controller:
/// [ClusterRolesPlayer] makes things ready.
@Tag("slow")
@Timeout(300)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class InstallIT {
    private static final String NAMESPACE = "istio-system";
    private static final KubeResource DEPLOYMENTS =
            new KubeResource("apps", "v1", "deployments", KubeResource.Scope.NAMESPACE);

    private static @Nullable KubeApiServer server;
    private static @Nullable KubeClient client;
    private static @Nullable ClusterRolesPlayer player;

    /// What a command printed and how it ended.
    private record Told(int code, String out, String err) {}

    @BeforeAll
    static void start() {
        StockProgram.HELM.require();
        StockProgram.KUBECTL.require();
        server = KubeApiServer.start(InstantSource.system(), KubeApiServer.Rights.BY_ROLE);
        client = new KubeClient(KubeConfig.fromFile(server.kubeconfig()), KubeSettings.DEFAULT);
        player = new ClusterRolesPlayer(client);
    }

    @AfterAll
    static void stop() {
        for (var part : new AutoCloseable[] {player, client, server}) {
            if (part != null) {
                try {
                    part.close();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    @Test
    @Order(1)
    void givenNothingInstalled_thenVerifyAndUpgradeSaySo() {
        var verified = run("verify");
        assertThat(verified.code()).isEqualTo(1);
        assertThat(verified.out()).contains("✘ no control plane is installed in istio-system", "fix: install one");
        assertThat(run("upgrade", "-y").err()).contains("no mesh is installed in istio-system");
    }

    @Test
    @Order(2)
    void whenADryRun_thenNothingIsMade() {
        var told = run("install", "--dry-run");
        assertThat(told.err()).isEmpty();
        assertThat(told.out())
                .contains("would apply Deployment istio-system/istiod", "would apply DaemonSet istio-system/ztunnel");
        assertThat(client().get(KubeResource.NAMESPACES, "", NAMESPACE)).isEmpty();
    }

    @Test
    @Order(2)
    void givenGatewaysInIstiosWords_whenADryRun_thenTheirChartIsRenderedForEach(@TempDir Path folder)
            throws IOException {
        var file = Files.writeString(folder.resolve("mesh.yaml"), """
                apiVersion: install.istio.io/v1alpha1
                kind: IstioOperator
                spec:
                  components:
                    ingressGateways:
                      - {name: istio-ingressgateway, enabled: true}
                      - {name: edge, namespace: edge, enabled: true, k8s: {service: {type: ClusterIP}}}
                """);
        var told = run("install", "--dry-run", "-f", file.toString());
        assertThat(told.err()).isEmpty();
        assertThat(told.out())
                .contains("would apply Deployment istio-system/istio-ingressgateway")
                .contains("would apply Deployment edge/edge", "would apply Service edge/edge");
    }

    @Test
    @Order(3)
    void whenInstalled_thenEveryPartIsReportedAndVerified() {
        var crds = StockProgram.requireDefinitions().toString();
        var told = run(
                "install",
                "-y",
                "--crds",
                crds,
                "--set",
                "values.pilot.env.FATHOM_LOG_LEVEL=debug",
                "--set",
                "values.pilot.taint.enabled=true");
        assertThat(told.err()).isEmpty();
        assertThat(told.out())
                .doesNotContain("has no effect")
                .contains("kinds of Istio and the Gateway API installed")
                .contains(
                        "✔ Core installed",
                        "✔ Control plane installed",
                        "✔ Node agent installed",
                        "✔ Node proxy installed")
                .endsWith("✔ Installation complete\n");
        root();
        await("the authority").atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            var verified = run("verify");
            assertThat(verified.out())
                    .contains("✔ Node proxy: ready on 1 nodes", "✔ Node agent: ready on 1 nodes")
                    .contains("✔ All is well")
                    .doesNotContain("✘");
            assertThat(verified.code()).isZero();
        });
    }

    @Test
    @Order(4)
    void whenSomethingIsMissing_thenVerifyNamesItAndInstallMendsIt() {
        assertThat(client().delete(KubeResource.SERVICES, NAMESPACE, "istiod")).isTrue();
        var told = run("verify");
        assertThat(told.code()).isEqualTo(1);
        assertThat(told.out())
                .contains("✘ Service istio-system/istiod of release istiod is not there")
                .contains("1 thing is wrong");
        assertThat(run("install", "-y", "--verify").out()).contains("✔ All is well");
        assertThat(client().get(KubeResource.SERVICES, NAMESPACE, "istiod")).isPresent();
    }

    @Test
    @Order(5)
    void whenAValueIsWrong_thenRefusedBeforeAnythingChanges() {
        var told = run("install", "-y", "--set", "values.pilot.replicaCount=many");
        assertThat(told.code()).isEqualTo(1);
        assertThat(told.err()).contains("/replicaCount", "want integer");
        assertThat(replicas("istiod")).isEqualTo(1);
    }

    @Test
    @Order(6)
    void whenUpgraded_thenValuesAreTheNewOnes() {
        assertThat(run("upgrade", "-y", "--set", "values.pilot.replicaCount=2").err())
                .isEmpty();
        assertThat(replicas("istiod")).isEqualTo(2);
    }

    @Test
    @Order(7)
    void whenARevisionIsInstalled_thenNodesStayWithTheirs() {
        var told = run("install", "-y", "--revision", "canary");
        assertThat(told.err()).isEmpty();
        assertThat(told.out()).contains("Node proxy is left as it is");
        assertThat(replicas("istiod-canary")).isEqualTo(1);
        assertThat(replicas("istiod")).isEqualTo(2);
        assertThat(discovery()).contains("istiod.istio-system.svc:15012");
        assertThat(run("upgrade", "-y", "--revision", "canary").err()).isEmpty();
        assertThat(discovery()).contains("istiod-canary.istio-system.svc:15012");
    }

    @Test
    @Order(8)
    void whenARevisionIsUninstalled_thenTheOtherStays() {
        assertThat(run("uninstall", "-y", "-r", "blue").err()).contains("no revision blue is installed");
        assertThat(run("uninstall", "-y", "-r", "canary").out()).contains("✔ Control plane istiod-canary removed");
        assertThat(client().get(DEPLOYMENTS, NAMESPACE, "istiod-canary")).isEmpty();
        assertThat(client().get(DEPLOYMENTS, NAMESPACE, "istiod")).isPresent();
    }

    @Test
    @Order(9)
    void whenPurged_thenNothingOfOursIsLeft() {
        assertThat(run("uninstall", "-y", "--purge").err()).isEmpty();
        var kinds = "all,cm,sa,role,rolebinding,clusterrole,clusterrolebinding,validatingwebhookconfigurations,"
                + "mutatingwebhookconfigurations,networkpolicy,pdb,hpa";
        var left = kubectl("", "get", kinds, "-A", "-l", "app.kubernetes.io/part-of=fathom", "-o", "name");
        assertThat(left.text()).isBlank();
        assertThat(client().get(KubeResource.CONFIG_MAPS, NAMESPACE, "istio-ca-root-cert"))
                .isEmpty();
        assertThat(client().list(KubeQuery.all(KubeResource.SECRETS).inNamespace(NAMESPACE))
                        .items())
                .isEmpty();
    }

    /// Every object of every case, without a field that the API server does not know.
    @Test
    @Order(10)
    void givenAnyValues_thenTheApiServerTakesEveryObject() {
        kubectl("", "create", "namespace", NAMESPACE);
        List.of("edge", "istio-eastwest") // of gateways; charts do not make them unless told so
                .forEach(namespace -> kubectl("", "create", "namespace", namespace));
        for (Case what : Charts.cases()) {
            var ran = kubectl(
                    Charts.render(what), "apply", "--server-side", "--dry-run=server", "--validate=strict", "-f", "-");
            assertThat(ran.code()).as("%s: %s", what, ran.text()).isZero();
            assertThat(ran.text()).as("%s", what).doesNotContain("Warning");
        }
    }

    private static void root() {
        var map = ClusterRolesPlayer.object("v1", "ConfigMap", "istio-ca-root-cert", Map.of(), Map.of());
        client().apply(KubeResource.CONFIG_MAPS, NAMESPACE, "istio-ca-root-cert", map, "test");
    }

    private static int replicas(String deployment) {
        return client().get(DEPLOYMENTS, NAMESPACE, deployment)
                .orElseThrow()
                .root()
                .at("spec")
                .at("replicas")
                .requiredInteger(0, 100);
    }

    private static String discovery() {
        var proxy = client().get(KubeResource.DAEMON_SETS, NAMESPACE, "ztunnel").orElseThrow();
        return Json.compact(proxy.tree());
    }

    private static Charts.Ran kubectl(String input, String... words) {
        var line = new ArrayList<>(
                List.of("--kubeconfig=" + Objects.requireNonNull(server).kubeconfig()));
        line.addAll(List.of(words));
        return Charts.run(StockProgram.KUBECTL, line, input);
    }

    private static Told run(String... words) {
        var environment = Map.of(
                "PATH", StockProgram.HELM.require().getParent() + ":/usr/bin:/bin",
                "HOME", Objects.requireNonNull(server).workspace().directory().toString(),
                "KUBECONFIG", Objects.requireNonNull(server).kubeconfig().toString(),
                "FATHOM_CHARTS", Charts.FOLDER.toString());
        var out = new StringWriter();
        var err = new StringWriter();
        var code = Fathomctl.run(words, environment, "test", new PrintWriter(out), new PrintWriter(err));
        return new Told(code, out.toString(), err.toString());
    }

    private static KubeClient client() {
        return Objects.requireNonNull(client);
    }
}
