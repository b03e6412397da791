// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.api;

import static io.fathom.wire.kube.api.ScriptedApiServer.answer;
import static io.fathom.wire.kube.api.ScriptedApiServer.pod;
import static io.fathom.wire.kube.api.ScriptedApiServer.pods;
import static io.fathom.wire.kube.api.ScriptedApiServer.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.api.KubeConfig.Token;
import io.fathom.wire.kube.api.KubeConfig.Trust;
import io.fathom.wire.kube.api.ScriptedApiServer.Asked;
import io.fathom.wire.kube.tree.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class KubeClientTest {
    @TempDir
    private Path folder;

    @AutoClose
    private ScriptedApiServer server;

    @AutoClose
    private KubeClient client;

    @BeforeEach
    void start() throws IOException {
        server = new ScriptedApiServer();
        client = new KubeClient(server.config(), KubeSettings.DEFAULT);
    }

    @Test
    void whenAnObjectIsThere_thenItIsRead() {
        server.answers.add(answer(200, pod("web", "u1", 7)));
        var pod = client.get(KubeResource.PODS, "shop", "web").orElseThrow();
        assertThat(List.of(pod.namespace(), pod.name(), pod.uid(), pod.resourceVersion()))
                .containsExactly("shop", "web", "u1", "7");
        assertThat(server.asked.getFirst().target()).isEqualTo("/api/v1/namespaces/shop/pods/web");
    }

    @Test
    void givenAServerWithAPath_thenItComesFirst() {
        server.answers.add(answer(200, pod("web", "u1", 7)));
        try (var below =
                new KubeClient(KubeConfig.plain(URI.create(server.address() + "/k8s/c-1/")), KubeSettings.DEFAULT)) {
            below.get(KubeResource.DAEMON_SETS, "istio-system", "a b");
        }
        assertThat(server.asked.getFirst().target())
                .isEqualTo("/k8s/c-1/apis/apps/v1/namespaces/istio-system/daemonsets/a%20b");
    }

    @Test
    void givenNoSuchObject_thenNothing_butWhatIsNoApiServerIsAProblem() {
        server.answers.add(answer(404, status(404, "NotFound", "pods \\\"web\\\" not found")));
        assertThat(client.get(KubeResource.PODS, "shop", "web")).isEmpty();
        server.answers.add(answer(404, "<html>"));
        assertThat(problemOf(() -> client.get(KubeResource.PODS, "shop", "web")).code())
                .isEqualTo("kube-not-found");
    }

    @Test
    void givenManyObjects_thenTheyComePageByPage() {
        server.answers.add(answer(200, pods(5, "next page", pod("a", "1", 1), pod("b", "2", 2))));
        server.answers.add(answer(200, pods(5, "", pod("c", "3", 3))));
        var list = client.list(KubeQuery.all(KubeResource.PODS)
                .inNamespace("shop")
                .withFields("spec.nodeName=n1")
                .withLabels("a in (b,c)"));
        assertThat(list.items()).extracting(KubeObject::name).containsExactly("a", "b", "c");
        assertThat(list.items()).extracting(KubeObject::kind).containsOnly("Pod");
        assertThat(list.resourceVersion()).isEqualTo("5");
        assertThat(server.asked)
                .extracting(Asked::target)
                .containsExactly(
                        "/api/v1/namespaces/shop/pods?fieldSelector=spec.nodeName%3Dn1&labelSelector=a%20in%20%28b%2Cc%29&limit=500",
                        "/api/v1/namespaces/shop/pods?fieldSelector=spec.nodeName%3Dn1&labelSelector=a%20in%20%28b%2Cc%29&limit=500"
                                + "&continue=next%20page");
    }

    @Test
    void givenALaterPageThatExpired_thenEverythingIsListedAtOnce() {
        server.answers.add(answer(200, pods(5, "next", pod("a", "1", 1))));
        server.answers.add(answer(410, status(410, "Expired", "too old")));
        server.answers.add(answer(200, pods(9, "", pod("b", "2", 2))));
        var list = client.list(KubeQuery.all(KubeResource.PODS));
        assertThat(list.items()).extracting(KubeObject::name).containsExactly("b");
        assertThat(server.asked.getLast().target()).doesNotContain("limit", "continue");
    }

    @Test
    void whenPatched_thenAsAMergePatchOfItsStatus() {
        server.answers.add(answer(200, pod("web", "u1", 8)));
        var patch = Json.of(Map.of("metadata", Map.of("annotations", Map.of("a/b", Json.NOTHING))));
        assertThat(client.patchStatus(KubeResource.PODS, "shop", "web", patch)).isPresent();
        var asked = server.asked.getFirst();
        assertThat(asked.method() + " " + asked.target() + " " + asked.type() + " " + asked.body())
                .isEqualTo("PATCH /api/v1/namespaces/shop/pods/web/status application/merge-patch+json "
                        + "{\"metadata\":{\"annotations\":{\"a/b\":null}}}");
        server.answers.add(answer(404, status(404, "NotFound", "gone")));
        assertThat(client.patchStatus(KubeResource.PODS, "shop", "web", patch)).isEmpty();
    }

    @Test
    void whenTheTokenFileChanges_thenTheNextCallHasTheNewToken() throws Exception {
        var file = Files.writeString(folder.resolve("token"), "one\n");
        var config = new KubeConfig(
                server.address(), Optional.empty(), new Trust.Public(), new Token.File(file), Optional.empty());
        try (var own = new KubeClient(config, KubeSettings.DEFAULT)) {
            for (var token : List.of("one", "two")) {
                Files.writeString(file, token + "\n");
                server.answers.add(answer(200, pod("web", "u1", 8)));
                own.get(KubeResource.PODS, "shop", "web");
            }
            Files.delete(file);
            assertThat(problemOf(() -> own.get(KubeResource.PODS, "shop", "web"))
                            .message())
                    .contains(file.toString());
        }
        assertThat(server.asked).extracting(Asked::token).containsExactly("Bearer one", "Bearer two");
    }

    @Test
    void whenAskedAgain_thenTheConnectionIsTheSame() {
        for (var i = 0; i < 3; i++) {
            server.answers.add(answer(200, pod("web", "u1", 8)));
            client.get(KubeResource.PODS, "shop", "web");
        }
        assertThat(server.asked)
                .extracting(Asked::port)
                .containsOnly(server.asked.getFirst().port());
    }

    @Test
    void givenAConnectionThatTheServerClosedMeanwhile_thenAnotherOneIsMade() throws Exception {
        var answer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}".getBytes(StandardCharsets.UTF_8);
        try (var listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> {
                for (var i = 0; i < 2; i++) {
                    try (var connection = listener.accept()) {
                        connection.getInputStream().read(new byte[4096]);
                        connection.getOutputStream().write(answer);
                    } catch (IOException e) {
                        return;
                    }
                }
            });
            var address = URI.create("http://127.0.0.1:" + listener.getLocalPort());
            try (var own = new KubeClient(KubeConfig.plain(address), KubeSettings.DEFAULT)) {
                assertThat(own.get(KubeResource.PODS, "shop", "web")).isPresent();
                assertThat(own.get(KubeResource.PODS, "shop", "web")).isPresent();
            }
        }
    }

    static Stream<Arguments> failures() {
        return Stream.of(
                argumentSet("unknown caller", 401, status(401, "Unauthorized", "who?"), "kube-unauthorized"),
                argumentSet("not allowed", 403, status(403, "Forbidden", "no"), "kube-forbidden"),
                argumentSet("changed meanwhile", 409, status(409, "Conflict", "no"), "kube-conflict"),
                argumentSet("nonsense sent", 422, status(422, "Invalid", "no"), "kube-refused"),
                argumentSet("too much", 429, "", "kube-overloaded"),
                argumentSet("broken server", 500, "boom", "kube-failed"),
                argumentSet("nonsense answered", 200, "<html>", "kube-answer-unreadable"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void givenAFailure_thenTheProblemNamesTheObject(int status, String body, String code) {
        server.answers.add(answer(status, body));
        var problem = problemOf(() -> client.get(KubeResource.PODS, "shop", "web"));
        assertThat(problem.code()).isEqualTo(code);
        assertThat(problem.message())
                .contains("get pods shop/web", server.address().toString());
        assertThat(problem.fix()).isNotEmpty();
    }

    @Test
    void givenNobodyThere_thenThatIsTheProblem() {
        server.close();
        assertThat(problemOf(() -> client.list(KubeQuery.all(KubeResource.PODS)))
                        .code())
                .isEqualTo("kube-unreachable");
    }

    @Test
    void givenANameThatLeadsElsewhere_thenItIsEncodedOrRefused() {
        server.answers.add(answer(404, status(404, "NotFound", "gone")));
        client.get(KubeResource.PODS, "shop", "../../nodes");
        assertThat(server.asked.getFirst().target()).isEqualTo("/api/v1/namespaces/shop/pods/..%2F..%2Fnodes");
        assertThatThrownBy(() -> client.get(KubeResource.PODS, "", "web")).isInstanceOf(IllegalArgumentException.class);
    }

    private static Problem problemOf(Runnable call) {
        return catchThrowableOfType(ProblemException.class, call::run).problem();
    }
}
