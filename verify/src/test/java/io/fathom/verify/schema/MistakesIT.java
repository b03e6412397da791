// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.verify.peers.KubeApiServer;
import io.fathom.verify.peers.StockProgram;
import io.fathom.verify.schema.MistakeTable.Case;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What `kubectl apply --validate=strict` on a real API server refuses is what the table says is wrong.
@Tag("interop")
@Timeout(300)
class MistakesIT {
    @Test
    void givenTheTable_thenKubectlRefusesTheSameObjects(@TempDir Path folder) throws Exception {
        var kubectl = StockProgram.KUBECTL.require();
        MistakeTable.scatter(folder);
        try (var server = KubeApiServer.start(InstantSource.system())) {
            var answer = apply(kubectl, server.kubeconfig(), folder, "--server-side=false");
            assertThat(answer).contains("server dry run");
            var differences = MistakeTable.read().stream()
                    .filter(one -> !one.isOfText() && !one.isOfNull())
                    .filter(one -> answer.contains(one.file()) == one.isRight())
                    .map(Case::name)
                    .toList();
            assertThat(differences).as(answer).isEmpty();
            for (var one : MistakeTable.read().stream().filter(Case::isOfNull).toList()) {
                assertThat(apply(kubectl, server.kubeconfig(), folder.resolve(one.file()), "--server-side=true"))
                        .contains("is invalid", "\"null\"");
            }
        }
    }

    /// All that kubectl says; files that it refuses are named.
    private static String apply(Path kubectl, Path kubeconfig, Path what, String how)
            throws IOException, InterruptedException {
        var said = kubeconfig.resolveSibling("said.txt");
        var command = List.of(
                kubectl.toString(),
                "--kubeconfig=" + kubeconfig,
                "apply",
                "--dry-run=server",
                "--validate=strict",
                how,
                "-f",
                what.toString());
        var process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        process.waitFor();
        return Files.readString(said);
    }
}
