// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FathomctlTest {
    private static final String AMBIENTZ = """
            {"workloads": [
               {"uid": "K//Pod/shop/cart-1", "name": "cart-1", "namespace": "shop", "addresses": ["10.0.0.1"],
                "node": "n1", "tunnelProtocol": "HBONE", "services": {"shop/cart.shop.svc.cluster.local": {}}},
               {"uid": "K//Pod/shop/cart-2", "name": "cart-2", "namespace": "shop", "addresses": ["10.0.0.2"],
                "node": "n2", "status": "UNHEALTHY", "services": {"shop/cart.shop.svc.cluster.local": {}}},
               {"uid": "K/e/db", "name": "db", "namespace": "pay", "hostname": "db.example"}],
             "services": [
               {"name": "cart", "namespace": "shop", "hostname": "cart.shop.svc.cluster.local",
                "addresses": [{"network": "n", "address": "10.1.0.1"}],
                "waypoint": {"hostname": {"namespace": "shop", "hostname": "wp.shop.svc.cluster.local"}}},
               {"name": "wp", "namespace": "shop", "hostname": "wp.shop.svc.cluster.local"}],
             "policies": [{"name": "p", "namespace": "shop", "action": "DENY", "scope": "NAMESPACE"}]}
            """;
    private static final String PROBLEMZ = """
            [{"severity": "ERROR", "file": "a.yaml", "line": 7, "object": "Pod/shop/x", "field": "spec.nodeName",
                "code": "manifest-wrong-type", "message": "is a number", "fix": "quote it"},
             {"severity": "WARNING", "object": "Pod/pay/y", "code": "odd", "message": "is odd", "fix": "look"},
             {"severity": "WARNING", "file": "b.yaml", "code": "manifest-empty", "message": "is empty", "fix": "fill it"}]
            """;
    private static final String STATUSZ = """
            {"ServiceEntry/pay/db": {"conditions": [{"type": "istio.io/WaypointBound", "status": "True",
              "reason": "WaypointAccepted", "message": "bound to shop/wp"}],
              "addresses": [{"host": "db.example", "value": "240.240.0.1"}]}}
            """;

    private HttpServer server;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        page("/version", 200, "1.0-abc-Clean\n");
        page("/debug/ambientz", 200, AMBIENTZ);
        page("/debug/statusz", 200, STATUSZ);
        page("/debug/problemz", 200, PROBLEMZ);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @Test
    void whenWorkloadsAreAskedFor_thenATable() {
        assertThat(run("get", "workloads")).isZero();
        assertThat(out.toString()).isEqualTo("""
                NAMESPACE   NAME     ADDRESS      NODE   WAYPOINT   PROTOCOL   STATUS
                shop        cart-1   10.0.0.1     n1     None       HBONE      HEALTHY
                shop        cart-2   10.0.0.2     n2     None       TCP        UNHEALTHY
                pay         db       db.example          None       TCP        HEALTHY
                """);
    }

    @Test
    void whenServicesAreAskedFor_thenHealthyEndpointsAreCounted() {
        assertThat(run("get", "svc")).isZero();
        assertThat(out.toString()).isEqualTo("""
                NAMESPACE   SERVICE NAME   HOSTNAME                      SERVICE VIP   WAYPOINT   ENDPOINTS
                shop        cart           cart.shop.svc.cluster.local   10.1.0.1      wp         1/2
                shop        wp             wp.shop.svc.cluster.local                   None       0/0
                """);
    }

    @Test
    void whenProblemsAreAskedFor_thenFileLineFieldAndFixAndAnErrorIsAFailure() {
        assertThat(run("get", "problems")).isEqualTo(1);
        assertThat(out.toString())
                .contains("ERROR", "a.yaml:7", "Pod/shop/x", "spec.nodeName", "is a number", "quote it");
    }

    @Test
    void givenOnlyWarnings_whenProblemsAreAskedFor_thenTheyAreNoFailure() {
        assertThat(run("get", "problems", "-n", "pay")).isZero();
        assertThat(out.toString())
                .contains("WARNING", "Pod/pay/y", "is odd")
                .as("of a file that may hold anything")
                .contains("b.yaml", "is empty")
                .doesNotContain("Pod/shop/x");
    }

    @Test
    void whenProblemsAreAskedForAsJson_thenAnErrorIsAFailure() throws IOException {
        assertThat(run("get", "problems", "-o", "json")).isEqualTo(1);
        assertThat(new ObjectMapper().readTree(out.toString())).hasSize(3);
    }

    @Test
    void givenNothingWrong_whenProblemsAreAskedFor_thenNoMoreIsSaidThanThat() {
        server.removeContext("/debug/problemz");
        page("/debug/problemz", 200, "[]");
        assertThat(run("get", "problems")).isZero();
        assertThat(out.toString()).isEqualTo("no problems\n");
    }

    @Test
    void whenStatusIsAskedFor_thenConditionsAndAddresses() {
        assertThat(run("get", "status", "-n", "pay")).isZero();
        assertThat(out.toString())
                .contains("ServiceEntry/pay/db", "WaypointAccepted", "bound to shop/wp", "240.240.0.1");
    }

    @Test
    void givenANamespace_thenOnlyWhatIsInIt() {
        assertThat(run("get", "policies", "-n", "pay")).isZero();
        assertThat(out.toString()).isEqualTo("no policies in namespace pay\n");
    }

    @Test
    void whenJsonIsAskedFor_thenJson() {
        assertThat(run("get", "policy", "-o", "json")).isZero();
        assertThat(out.toString()).startsWith("[ {").contains("\"action\" : \"DENY\"");
    }

    @Test
    void whenVersionIsAskedFor_thenBoth() {
        assertThat(run("version")).isZero();
        assertThat(out.toString()).isEqualTo("client version: 0.1\ncontrol plane version: 1.0-abc-Clean\n");
    }

    @Test
    void givenNobodyThere_thenSaysWhereAndWhatToDo() throws IOException {
        int free;
        try (var socket = new ServerSocket(0)) {
            free = socket.getLocalPort();
        }

        assertThat(plain(Map.of(), "get", "services", "--fathomd", "localhost:" + free))
                .isEqualTo(1);
        assertThat(err.toString()).contains("no fathomd answers at localhost:" + free, "bin/up");
    }

    @Test
    void givenAnotherProgramThere_thenSaysSo() {
        page("/debug/ambientz2", 200, "hello");
        server.removeContext("/debug/ambientz");
        page("/debug/ambientz", 200, "<html>hello</html>");

        assertThat(run("get", "services")).isEqualTo(1);
        assertThat(err.toString()).contains("not JSON", "15014");
    }

    @Test
    void givenARefusal_thenTheReasonIsShown() {
        server.removeContext("/debug/ambientz");
        page("/debug/ambientz", 403, "only loopback");

        assertThat(run("get", "services")).isEqualTo(1);
        assertThat(err.toString()).contains("403", "only loopback");
    }

    @Test
    void givenAnUnknownKind_thenTheKindsAreNamed() {
        assertThat(run("get", "pods")).isEqualTo(64);
        assertThat(err.toString()).contains("there is no kind 'pods'", "workloads, services");
    }

    @Test
    void givenAMisspeltCommand_thenASuggestion() {
        assertThat(run("versoin")).isEqualTo(64);
        assertThat(err.toString()).contains("versoin", "did you mean version?");
    }

    @Test
    void givenABadAddress_thenTheForm() {
        assertThat(plain(Map.of("FATHOMD", "nowhere"), "version")).isEqualTo(1);
        assertThat(err.toString()).contains("'nowhere' is not an address", "HOST:PORT");
    }

    @Test
    void whenHelpIsAskedFor_thenOnStandardOutput() {
        assertThat(run("get", "--help")).isZero();
        assertThat(out.toString()).contains("problems", "--namespace", "--fathomd");
    }

    private int run(String... args) {
        return plain(Map.of("FATHOMD", "localhost:" + server.getAddress().getPort()), args);
    }

    private int plain(Map<String, String> environment, String... args) {
        return Fathomctl.run(args, environment, "0.1", new PrintWriter(out), new PrintWriter(err));
    }

    private void page(String path, int status, String body) {
        server.createContext(path, exchange -> {
            var bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
    }
}
