// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.folder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.tools.local.folder.Deployment.Fact;
import io.fathom.tools.local.folder.Deployment.Value;
import io.fathom.tools.local.folder.Deployment.Variable;
import io.fathom.wire.kube.folder.ObjectName;
import io.fathom.wire.kube.manifest.ManifestProblem.Severity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class UserFolderTest {
    private static final String DEPLOYMENT = """
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: web, namespace: shop}
            spec:
              replicas: %s
              template:
                metadata: {labels: {app: web}}
                spec:
                  serviceAccountName: web
                  containers:
                  - name: web
                    command: [python3]
                    args: [web.py]
                    env:
                    - {name: VERSION, value: v1}
                    - {name: POD, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
                    ports: [{name: http, containerPort: 8080}]
                    readinessProbe: {httpGet: {path: /healthz, port: http}, periodSeconds: 5}
                    livenessProbe: {tcpSocket: {port: 8080}}
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    void givenADeployment_thenItIsRead() throws IOException {
        write("web.yaml", DEPLOYMENT.formatted(2));

        var declared = new UserFolder(folder, Optional.empty()).poll().orElseThrow();

        var deployment = web(declared);
        assertThat(declared.problems()).isEmpty();
        assertThat(deployment.replicas()).isEqualTo(2);
        assertThat(deployment.template().account()).isEqualTo("web");
        assertThat(deployment.template().labels()).isEqualTo(Map.of("app", "web"));
        assertThat(deployment.template().command()).containsExactly("python3", "web.py");
        assertThat(deployment.template().environment())
                .containsExactly(
                        new Variable("VERSION", new Value.Text("v1")), new Variable("POD", new Value.OfPod(Fact.NAME)));
        assertThat(deployment.template().readiness())
                .contains(new Probe(
                        new Probe.Target.Http("/healthz", 8080),
                        Duration.ZERO,
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(1),
                        3));
        assertThat(deployment.template().liveness().orElseThrow().target()).isEqualTo(new Probe.Target.Tcp(8080));
    }

    @Test
    void givenServicesAndNamespaces_thenTheirParts() throws IOException {
        write("all.yaml", """
                apiVersion: v1
                kind: Namespace
                metadata: {name: shop, labels: {istio.io/dataplane-mode: ambient}}
                ---
                apiVersion: v1
                kind: Service
                metadata: {name: web, namespace: shop}
                spec: {selector: {app: web}, ports: [{port: 80}]}
                ---
                apiVersion: v1
                kind: Service
                metadata: {name: db}
                spec: {clusterIP: None}
                """);

        var declared = new UserFolder(folder, Optional.empty()).poll().orElseThrow();

        assertThat(declared.labels("shop")).containsEntry("istio.io/dataplane-mode", "ambient");
        var web = service(declared, "shop", "web");
        var db = service(declared, "default", "db");
        assertThat(web.clusterIp()).isEmpty();
        assertThat(web.selector()).isEqualTo(Map.of("app", "web"));
        assertThat(db.clusterIp()).isEqualTo("None");
    }

    @Test
    void givenAChange_thenItCountsOnceTheFilesRest() throws IOException {
        write("web.yaml", DEPLOYMENT.formatted(2));
        var user = new UserFolder(folder, Optional.empty());
        assertThat(user.poll()).isPresent();
        assertThat(user.poll()).isEmpty();

        write("web.yaml", DEPLOYMENT.formatted(10));
        assertThat(user.poll()).as("it may be half written").isEmpty();
        assertThat(web(user.poll().orElseThrow()).replicas()).isEqualTo(10);
    }

    @Test
    void givenAMistake_thenItIsToldWithItsPlace_andTheLastGoodStateStays() throws IOException {
        write("web.yaml", DEPLOYMENT.formatted(2));
        var user = new UserFolder(folder, Optional.empty());
        assertThat(user.poll()).isPresent();

        write("web.yaml", DEPLOYMENT.formatted("many"));
        assertThat(user.poll()).isEmpty();
        var declared = user.poll().orElseThrow();

        assertThat(web(declared).replicas()).isEqualTo(2);
        assertThat(declared.problems()).singleElement().asString().contains("web.yaml:5", "spec.replicas", "fix:");
    }

    @Test
    void givenNoCommand_thenTheFixSaysWhy() throws IOException {
        write("web.yaml", DEPLOYMENT.formatted(2).replace("command: [python3]", "image: web"));

        assertThat(new UserFolder(folder, Optional.empty()).poll().orElseThrow().problems())
                .singleElement()
                .asString()
                .contains("command", "images are not pulled");
    }

    /// The control plane tells of the broken document.
    @Test
    void givenABrokenDocument_thenTheOthersOfItsFileCount() throws IOException {
        write("all.yaml", DEPLOYMENT.formatted(2) + """
                ---
                kind: {{ .Values.kind }
                ---
                apiVersion: v1
                kind: Service
                metadata: {name: web, namespace: shop}
                spec: {selector: {app: web}, ports: [{port: 80}]}
                """);

        var declared = new UserFolder(folder, Optional.empty()).poll().orElseThrow();

        assertThat(web(declared).replicas()).isEqualTo(2);
        assertThat(service(declared, "shop", "web").clusterIp()).isEmpty();
        assertThat(declared.problems()).isEmpty();
    }

    @Test
    void givenADocumentThatBreaks_thenWhatItHeldStays_andOthersChange() throws IOException {
        var service = """
                apiVersion: v1
                kind: Service
                metadata: {name: web, namespace: shop}
                spec: {selector: {app: %s}, ports: [{port: 80}]}
                ---
                """;
        write("all.yaml", service.formatted("web") + DEPLOYMENT.formatted(2));
        var user = new UserFolder(folder, Optional.empty());
        assertThat(user.poll()).isPresent();

        write(
                "all.yaml",
                service.formatted("other") + DEPLOYMENT.formatted(2).replace("{name: web, name", "{name: web, {name"));
        assertThat(user.poll()).isEmpty();
        var declared = user.poll().orElseThrow();

        assertThat(web(declared).replicas()).isEqualTo(2);
        assertThat(service(declared, "shop", "web").selector()).isEqualTo(Map.of("app", "other"));
    }

    @Test
    void givenAStatefulSet_thenItsPodsAreCounted() throws IOException {
        write("db.yaml", DEPLOYMENT.formatted(2).replace("kind: Deployment", "kind: StatefulSet"));

        var declared = new UserFolder(folder, Optional.empty()).poll().orElseThrow();

        assertThat(declared.problems()).isEmpty();
        var set = Objects.requireNonNull(declared.deployments().get("shop/web StatefulSet"));
        assertThat(set.kind()).isEqualTo(Deployment.DeploymentKind.STATEFUL_SET);
        assertThat(set.podNames()).containsExactly("web-0", "web-1");

        write(
                "db.yaml",
                DEPLOYMENT
                        .formatted(2)
                        .replace("kind: Deployment", "kind: StatefulSet")
                        .replace("replicas: 2", "replicas: 2\n  podManagementPolicy: Parallel"));
        assertThat(new UserFolder(folder, Optional.empty())
                        .poll()
                        .orElseThrow()
                        .deployments()
                        .values())
                .singleElement()
                .matches(one -> one.kind() == Deployment.DeploymentKind.PARALLEL_STATEFUL_SET);
    }

    @Test
    void givenABarePod_thenItIsRun_asOftenAsItSays() throws IOException {
        write("pod.yaml", """
                apiVersion: v1
                kind: Pod
                metadata: {name: once, namespace: shop, labels: {app: once}}
                spec:
                  restartPolicy: OnFailure
                  containers: [{name: main, command: [python3, once.py]}]
                """);

        var declared = new UserFolder(folder, Optional.empty()).poll().orElseThrow();

        assertThat(declared.problems()).isEmpty();
        var pod = Objects.requireNonNull(declared.deployments().get("shop/once Pod"));
        assertThat(pod.podNames()).containsExactly("once");
        assertThat(pod.template().labels()).isEqualTo(Map.of("app", "once"));
        assertThat(pod.template().restart().applies(1)).isTrue();
        assertThat(pod.template().restart().applies(0)).isFalse();
    }

    @Test
    void givenAnExternalName_thenItIsAnAliasWithoutAnAddress() throws IOException {
        write("x.yaml", """
                apiVersion: v1
                kind: Service
                metadata: {name: x, namespace: shop}
                spec: {type: ExternalName, externalName: A.example.}
                """);

        var declared = new UserFolder(folder, Optional.empty()).poll().orElseThrow();

        assertThat(declared.problems()).isEmpty();
        assertThat(service(declared, "shop", "x").alias()).isEqualTo("a.example");
        assertThat(service(declared, "shop", "x").clusterIp()).isEqualTo("None");
    }

    static Stream<Arguments> unplayable() {
        return Stream.of(
                argumentSet("a Job", "apiVersion: batch/v1\nkind: Job", "Job shop/x", "kind", 2),
                argumentSet("a DaemonSet", "apiVersion: apps/v1\nkind: DaemonSet", "DaemonSet shop/x", "kind", 2));
    }

    @ParameterizedTest
    @MethodSource("unplayable")
    void givenWhatNothingHerePlays_thenThatIsSaid(String yaml, String object, String field, int line)
            throws IOException {
        write("x.yaml", yaml + "\nmetadata: {name: x, namespace: shop}\n");

        assertThat(new UserFolder(folder, Optional.empty()).poll().orElseThrow().problems())
                .singleElement()
                .satisfies(problem -> {
                    assertThat(problem.severity()).isEqualTo(Severity.ERROR);
                    assertThat(problem.object()).isEqualTo(object);
                    assertThat(problem.field()).isEqualTo(field);
                    assertThat(problem.line()).isEqualTo(line);
                    assertThat(problem.problem().code()).isEqualTo("not-played-here");
                });
    }

    private static Deployment web(Declared declared) {
        return Objects.requireNonNull(declared.deployments().get("shop/web"));
    }

    private static Declared.Service service(Declared declared, String namespace, String name) {
        return Objects.requireNonNull(declared.services().get(new ObjectName("Service", namespace, name)));
    }

    private void write(String file, String text) throws IOException {
        Files.writeString(folder.resolve(file), text);
    }
}
