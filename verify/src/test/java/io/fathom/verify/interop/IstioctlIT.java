// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fathom.verify.peers.StockProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The unmodified `istioctl ztunnel-config` on a dump of what we serve prints every resource with its own words.
@Tag("interop")
class IstioctlIT {
    private static final Pattern COLUMNS = Pattern.compile("\\s{1,}");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path temporary;

    @Test
    @Timeout(60)
    void givenSampleMesh_whenIstioctlReadsItsDump_thenEveryTableIsComplete() throws Exception {
        var istioctl = StockProgram.ISTIOCTL.require();
        try (var mesh = new SampleMesh(Files.createDirectory(temporary.resolve("mesh")))) {
            var dump = Files.writeString(
                    temporary.resolve("dump.json"),
                    ZtunnelDump.of(mesh.answer()).toPrettyString());

            var workloads = table(istioctl, dump, "workload");
            var services = table(istioctl, dump, "service");
            var policies = table(istioctl, dump, "policy");

            assertThat(workloads.getFirst())
                    .containsExactly("NAMESPACE", "POD", "NAME", "ADDRESS", "NODE", "WAYPOINT", "PROTOCOL");
            assertThat(workloads).hasSize(1 + count(mesh, "workload"));
            assertThat(services).hasSize(1 + count(mesh, "service"));
            assertThat(policies).hasSize(1 + mesh.answer().authorizations().size());
            mesh.answer().addresses().values().forEach(address -> {
                if (address.has("workload")) {
                    assertThat(workloads).anySatisfy(row -> describes(row, address.get("workload")));
                } else {
                    assertThat(services)
                            .anySatisfy(row -> assertThat(row)
                                    .startsWith(
                                            address.at("/service/namespace").asText(),
                                            address.at("/service/name").asText()));
                }
            });
            mesh.answer()
                    .authorizations()
                    .values()
                    .forEach(policy -> assertThat(policies)
                            .anySatisfy(row -> assertThat(row)
                                    .startsWith(
                                            policy.path("namespace").asText(),
                                            policy.path("name").asText(),
                                            policy.path("action").asText().equals("DENY") ? "Deny" : "Allow")));
        }
    }

    private static void describes(List<String> row, JsonNode workload) {
        assertThat(row)
                .startsWith(
                        workload.path("namespace").asText(),
                        workload.path("name").asText())
                .endsWith(workload.path("tunnelProtocol").asText().equals("HBONE") ? "HBONE" : "TCP");
        var addresses = String.join(
                ",",
                Stream.iterate(0, i -> i < workload.path("addresses").size(), i -> i + 1)
                        .map(i -> workload.path("addresses").path(i).asText())
                        .toList());
        if (!addresses.isEmpty()) {
            assertThat(row).contains(addresses);
        }
        assertThat(row).doesNotContain("NA");
    }

    private static int count(SampleMesh mesh, String kind) {
        return (int) mesh.answer().addresses().values().stream()
                .filter(address -> address.has(kind))
                .count();
    }

    private static List<List<String>> table(Path istioctl, Path dump, String kind)
            throws IOException, InterruptedException {
        var process = new ProcessBuilder(istioctl.toString(), "ztunnel-config", kind, "--file", dump.toString())
                .redirectErrorStream(true)
                .start();
        var lines = process.inputReader().readAllLines();
        assertThat(process.waitFor()).as(String.join("\n", lines)).isZero();
        return lines.stream().map(line -> List.of(COLUMNS.split(line.strip()))).toList();
    }
}
