// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ReachTablesTest {
    private static final String THREE = """
            {"clusters": [
              {"name": "east", "reports": true, "ageSeconds": 3, "peers": [
                {"name": "west", "verdict": "reachable", "gateways": [
                  {"address": "10.0.0.1:15008", "verdict": "reachable"},
                  {"address": "10.0.0.2:15008", "verdict": "suspect", "since": "2026-11-18T12:00:00Z",
                   "code": "gateway-silent", "reason": "no answer within 2000 ms"}]}]},
              {"name": "south", "peers": []},
              {"name": "west", "reports": true, "ageSeconds": 600, "peers": [
                {"name": "east", "verdict": "down", "gateways": [
                  {"address": "10.0.1.1:15008", "verdict": "down", "since": "2026-11-18T12:00:00Z",
                   "code": "gateway-is-another-cluster", "reason": "what answers is a gateway of cluster south"}]}]}]}
            """;

    private static String print(String json) throws IOException {
        var out = new StringWriter();
        ReachTables.print(new ObjectMapper().readTree(json), new PrintWriter(out, true));
        return out.toString();
    }

    @Test
    void givenSomeClusters_thenAMatrix_andWhatIsWrong() throws IOException {
        assertThat(print(THREE).lines())
                .containsExactly(
                        "FROM / TO   east   south   west          AGE",
                        "east        -      -       ok (1 of 2)   3s",
                        "south       -      -       -             never heard",
                        "west        DOWN   -       -             10m",
                        "",
                        "east -> west at 10.0.0.2:15008, suspect since 2026-11-18T12:00:00Z [gateway-silent]: no answer"
                                + " within 2000 ms",
                        "  fix: see whether the east-west gateway of west runs, and whether east may reach that address"
                                + " and port",
                        "",
                        "west -> east at 10.0.1.1:15008, down since 2026-11-18T12:00:00Z [gateway-is-another-cluster]:"
                                + " what answers is a gateway of cluster south",
                        "  fix: the address that east tells is that of another cluster: correct its load balancer, or"
                                + " annotation fleet.fathom.io/advertise of its east-west gateway",
                        "",
                        "Nothing is known of what these reach: south",
                        "  fix: a control plane of Fathom tells its agent, which has to be started with"
                                + " --control-plane");
        assertThat(print("{\"clusters\": []}")).startsWith("no cluster has joined");
    }

    @Test
    void givenMany_thenALineForEach() throws IOException {
        var answer = JsonNodeFactory.instance.objectNode();
        var clusters = answer.putArray("clusters");
        for (var i = 0; i < 20; i++) {
            var cluster = clusters.addObject()
                    .put("name", "c" + i)
                    .put("reports", true)
                    .put("ageSeconds", 7200);
            cluster.putArray("peers").addObject().put("name", "c0").put("verdict", i < 5 ? "down" : "reachable");
        }

        assertThat(print(answer.toString()).lines())
                .hasSize(21)
                .startsWith("FROM   OK   UNKNOWN   SUSPECT   DOWN   AGE", "c0     0    0         0         1      2h")
                .contains("c19    1    0         0         0      2h");
    }
}
