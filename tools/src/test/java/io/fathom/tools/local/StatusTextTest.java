// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Set;
import org.junit.jupiter.api.Test;

class StatusTextTest {
    @Test
    void thenProgramsPodsAndComplaintsAreShown() throws Exception {
        var status = """
                {"programs": [{"name": "fathomd", "pid": 7, "restarts": 1}],
                 "pods": [{"namespace": "shop", "name": "web-1", "node": "node-1", "ip": "198.19.1.2", "phase": "RUNNING",
                           "pid": 8, "ready": true, "restarts": 0, "complaint": ""},
                          {"namespace": "shop", "name": "web-2", "node": "node-2", "ip": "198.19.2.2", "phase": "PENDING",
                           "ready": false, "restarts": 0, "complaint": "no agent"}]}
                """;

        assertThat(StatusText.of(
                        new ObjectMapper().readTree(status),
                        (_, pod) -> pod.equals("web-1") ? "enabled" : "no",
                        Set.of(7L, 8L)::contains))
                .isEqualTo("""
                PROGRAM   STATE     RESTARTS
                fathomd   running   1

                NAMESPACE   POD     NODE     IP           STATE                   RESTARTS   CAPTURED
                shop        web-1   node-1   198.19.1.2   ready                   0          enabled
                shop        web-2   node-2   198.19.2.2   waiting for the agent   0          no

                web-2: no agent
                """);
    }

    @Test
    void givenProcessesThatAreGoneSinceItWasWritten_thenTheyDoNotCountAsRunning() throws Exception {
        var status = """
                {"programs": [{"name": "fathomd", "pid": 7, "restarts": 0}],
                 "pods": [{"namespace": "shop", "name": "web-1", "node": "node-1", "ip": "198.19.1.2", "phase": "RUNNING",
                           "pid": 8, "ready": true, "restarts": 0, "complaint": ""}]}
                """;

        assertThat(StatusText.of(new ObjectMapper().readTree(status), (_, _) -> "no", _ -> false))
                .contains("fathomd   starting", "not ready")
                .doesNotContain("running");
    }

    @Test
    void whenThereAreProblems_thenTheyAreCounted() throws Exception {
        assertThat(problems("[]")).isEqualTo("problems: none");
        assertThat(problems("[{'severity': 'ERROR'}, {'severity': 'ERROR'}, {'severity': 'WARNING'}]"))
                .isEqualTo("problems: 2 errors, 1 warning: see bin/up fathomctl get problems");
    }

    private static String problems(String json) throws Exception {
        return StatusText.problems(new ObjectMapper().readTree(json.replace('\'', '"')), "bin/up");
    }
}
