// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fathom.verify.lab.LabPod;
import io.fathom.verify.lab.MeshLab;
import io.fathom.verify.lab.ProxyProgram;
import io.fathom.verify.lab.RunningProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/// What a pod gains that tries to get around its node proxy: nothing, see `docs/security.md`. The node proxies run
/// without NET_ADMIN.
@Tag("slow")
@Tag("interop")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BypassIT {
    private static final List<String> LEAST_PRIVILEGE =
            List.of("setpriv", "--bounding-set=-all,+sys_admin,+net_raw", "--inh-caps=-all", "--");
    private static final long NET_RAW = 1L << 13;
    private static final long SYS_ADMIN = 1L << 21;
    private static final String PROBES = "169.254.7.127";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /// Connects with a mark on its packets, from an address if one is given, and prints the answer or why there is
    /// none.
    private static final String CALLER = """
            import socket, sys
            target, mark, source = sys.argv[1], int(sys.argv[2], 0), sys.argv[3]
            s = socket.socket()
            s.settimeout(4)
            try:
                if mark:
                    s.setsockopt(socket.SOL_SOCKET, socket.SO_MARK, mark)
                if source:
                    s.bind((source, 0))
                s.connect((target, 8080))
                s.sendall(b'GET /who HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n')
                answer = s.makefile().read()
                print('answer', answer.split()[-1] if answer else 'empty')
            except OSError as e:
                print('failed', e)
            """;

    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private final MeshLab lab = new MeshLab();
    private final LabPod client = lab.pod("client", "node-a");
    private final LabPod neighbour = lab.pod("neighbour", "node-b");
    private final LabPod server = lab.pod("server", "node-b");

    @BeforeAll
    void start() {
        parts.push(lab);
        parts.push(proxy("node-a"));
        parts.push(proxy("node-b"));
        parts.push(WebServer.in(lab, server));
    }

    private static long effectiveCapabilities(RunningProxy proxy) {
        try {
            var line = Files.readAllLines(Path.of("/proc/" + proxy.pid() + "/status")).stream()
                    .filter(text -> text.startsWith("CapEff:"))
                    .findFirst()
                    .orElseThrow();
            return Long.parseLong(line.substring(7).strip(), 16);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private RunningProxy proxy(String node) {
        var command = new ArrayList<>(LEAST_PRIVILEGE);
        command.addAll(ProxyProgram.ours().command());
        var proxy = lab.proxy(node, new ProxyProgram("restricted", command), Map.of());
        assertThat(effectiveCapabilities(proxy)).isEqualTo(SYS_ADMIN | NET_RAW);
        return proxy;
    }

    @AfterEach
    void removePolicies() {
        lab.write("policy", "# none\n");
        expect(client, "0", "answer " + client.ip());
        Awaitility.await().atMost(PATIENCE).until(() -> call(client, "1337", "").equals("answer " + client.ip()));
    }

    @AfterAll
    void close() throws Exception {
        while (!parts.isEmpty()) {
            parts.pop().close();
        }
    }

    private static List<String> withoutRights() {
        return List.of("setpriv", "--bounding-set=-all", "--inh-caps=-all", "--");
    }

    private String call(LabPod from, String mark, String source) {
        return callAs(List.of(), from, mark, source);
    }

    private String callAs(List<String> rights, LabPod from, String mark, String source) {
        var line = new ArrayList<>(rights);
        line.addAll(List.of("python3", "-c", CALLER, server.ip(), mark, source));
        return from.namespace().run(line.toArray(String[]::new)).strip();
    }

    private void expect(LabPod from, String mark, String answer) {
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(call(from, mark, "")).isEqualTo(answer));
    }

    /// Waits until plain text is no longer answered.
    private void expectRefusal(LabPod from, String mark) {
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(call(from, mark, "")).doesNotContain(from.ip()));
    }

    private void beStrict() {
        lab.write("policy", """
                apiVersion: security.istio.io/v1
                kind: PeerAuthentication
                metadata: {name: strict, namespace: lab}
                spec: {mtls: {mode: STRICT}}
                """);
    }

    @Test
    void givenStrictMtls_whenAnAppUsesTheProxysMark_thenItLeavesThePodInPlainTextAndIsRefused() {
        beStrict();

        expectRefusal(client, "1337");
        expectRefusal(neighbour, "1337");
        expect(client, "0", "answer " + client.ip());
        expect(neighbour, "0", "answer " + neighbour.ip());
    }

    @Test
    void givenAPolicyOnIdentities_whenAnAppUsesTheProxysMark_thenItHasNoIdentityAndIsRefused() {
        lab.write("policy", """
                apiVersion: security.istio.io/v1
                kind: AuthorizationPolicy
                metadata: {name: only-client, namespace: lab}
                spec:
                  selector: {matchLabels: {app: server}}
                  action: ALLOW
                  rules: [{from: [{source: {principals: [cluster.local/ns/lab/sa/client]}}]}]
                """);

        expectRefusal(neighbour, "0");
        expectRefusal(client, "1337");
        expectRefusal(neighbour, "1337");
        expect(client, "0", "answer " + client.ip());
    }

    @Test
    void whenAnAppUsesTheMarkOfAnswers_thenItsPacketsDoNotLeaveThePod() {
        assertThat(call(client, "0x111", "")).startsWith("failed");
    }

    @Test
    void givenAnAppWithoutCapabilities_whenItUsesTheMark_thenTheKernelRefuses() {
        assertThat(callAs(withoutRights(), client, "1337", "")).isEqualTo("failed [Errno 1] Operation not permitted");
        assertThat(callAs(withoutRights(), client, "0", "")).isEqualTo("answer " + client.ip());
    }

    @Test
    void givenStrictMtls_whenAPodUsesTheProbesAddress_thenItGetsNoAnswer() {
        beStrict();
        expectRefusal(neighbour, "1337");
        for (var pod : List.of(client, neighbour)) {
            pod.namespace().run("ip", "addr", "add", PROBES + "/32", "dev", "eth0");
            try {
                assertThat(call(pod, "0", PROBES)).doesNotContain("answer " + PROBES);
                assertThat(call(pod, "1337", PROBES)).startsWith("failed");
            } finally {
                pod.namespace().run("ip", "addr", "del", PROBES + "/32", "dev", "eth0");
            }
        }
    }

    @Test
    void whatTheNodeProxyMayDo_doesNotChangeRules() {
        var line = new ArrayList<>(LEAST_PRIVILEGE);
        line.addAll(List.of("iptables-nft", "-t", "nat", "-F"));

        assertThatThrownBy(() -> server.namespace().run(line.toArray(String[]::new)))
                .hasMessageContaining("Permission denied");
    }
}
