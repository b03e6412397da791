// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import com.sun.net.httpserver.HttpServer;
import io.fathom.node.cni.install.Upgrade.Decision;
import io.fathom.node.cni.install.UpgradeCheck.WhenUnknown;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeConfig;
import io.fathom.wire.kube.api.KubeSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Case 53 of the CNI fact sheet.
class UpgradeTest {
    private static final String NOT_FOUND = "{\"kind\":\"Status\",\"reason\":\"NotFound\",\"code\":404}";

    private final List<String> asked = new CopyOnWriteArrayList<>();
    private volatile int status = 200;
    private volatile String daemonSet = "";
    private HttpServer server;

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                var path = exchange.getRequestURI().getPath();
                asked.add(path);
                var node =
                        "{\"metadata\":{\"name\":\"n1\",\"labels\":{\"kubernetes.io/os\":\"linux\",\"cores\":\"8\"}}}";
                var bytes = (path.contains("/nodes/") ? node : daemonSet).getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(path.contains("/nodes/") ? 200 : status, bytes.length);
                exchange.getResponseBody().write(bytes);
            }
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    static Stream<Arguments> answers() {
        return Stream.of(
                argumentSet("present", 200, set("", ""), Decision.KEEP),
                argumentSet(
                        "being deleted",
                        200,
                        set("\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"", ""),
                        Decision.CLEAN_UP),
                argumentSet("gone", 404, NOT_FOUND, Decision.CLEAN_UP),
                argumentSet("our account is gone", 401, "{}", Decision.CLEAN_UP),
                argumentSet("affinity for us", 200, affinity("kubernetes.io/os", "In", "linux"), Decision.KEEP),
                argumentSet(
                        "affinity for others", 200, affinity("kubernetes.io/os", "In", "windows"), Decision.CLEAN_UP),
                argumentSet(
                        "affinity against us", 200, affinity("kubernetes.io/os", "NotIn", "linux"), Decision.CLEAN_UP),
                argumentSet("affinity by number", 200, affinity("cores", "Gt", "4"), Decision.KEEP),
                argumentSet("affinity by smaller number", 200, affinity("cores", "Lt", "4"), Decision.CLEAN_UP),
                argumentSet("affinity by name", 200, fields("n1"), Decision.KEEP),
                argumentSet("affinity by another name", 200, fields("n2"), Decision.CLEAN_UP),
                argumentSet("a node selector for us", 200, selector("linux"), Decision.KEEP),
                argumentSet("a node selector for others", 200, selector("windows"), Decision.KEEP));
    }

    @ParameterizedTest
    @MethodSource("answers")
    void case53_whenTheAgentIsToldToEnd(int code, String answer, Decision want) {
        status = code;
        daemonSet = answer;
        for (var unknown : WhenUnknown.values()) {
            assertThat(decide(unknown)).isEqualTo(want);
        }
        assertThat(asked.getFirst()).isEqualTo("/apis/apps/v1/namespaces/istio-system/daemonsets/istio-cni-node");
    }

    @Test
    void givenADaemonSetForAllNodes_thenNobodyAsksForTheNode() {
        daemonSet = set("", "");

        assertThat(decide(WhenUnknown.CLEAN_UP)).isEqualTo(Decision.KEEP);
        assertThat(asked).noneMatch(path -> path.contains("/nodes/"));
    }

    @Test
    void case53_givenAnApiServerThatFails_thenOwnershipDecides() {
        status = 503;
        assertThat(decide(WhenUnknown.CLEAN_UP)).isEqualTo(Decision.CLEAN_UP);
        assertThat(asked).hasSize(1);
        assertThat(decide(WhenUnknown.KEEP)).isEqualTo(Decision.KEEP);
        assertThat(asked).hasSize(4);
        server.stop(0);
        assertThat(decide(WhenUnknown.CLEAN_UP)).isEqualTo(Decision.CLEAN_UP);
        assertThat(decide(WhenUnknown.KEEP)).isEqualTo(Decision.KEEP);
    }

    private Decision decide(WhenUnknown unknown) {
        var address = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        try (var client = new KubeClient(KubeConfig.plain(address), KubeSettings.DEFAULT)) {
            return new UpgradeCheck(client, "istio-system", "n1", unknown).decide();
        }
    }

    private static String set(String metadata, String spec) {
        return "{\"kind\":\"DaemonSet\",\"metadata\":{" + metadata + "},\"spec\":{\"template\":{\"spec\":{" + spec
                + "}}}}";
    }

    private static String affinity(String key, String operator, String value) {
        return terms(
                "[{\"matchExpressions\":[{\"key\":\"absent\",\"operator\":\"Exists\"}]},{\"matchExpressions\":[{\"key\":\""
                        + key + "\",\"operator\":\"" + operator + "\",\"values\":[\"" + value + "\"]}]},{}]");
    }

    private static String fields(String name) {
        return terms(
                "[{\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\",\"values\":[\"" + name + "\"]}]}]");
    }

    private static String terms(String terms) {
        return set(
                "",
                "\"affinity\":{\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":{\"nodeSelectorTerms\":"
                        + terms + "}}}");
    }

    private static String selector(String os) {
        return set("", "\"nodeSelector\":{\"kubernetes.io/os\":\"" + os + "\"}");
    }
}
