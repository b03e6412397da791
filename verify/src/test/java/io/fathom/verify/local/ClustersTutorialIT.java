// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.verify.documents.Block;
import io.fathom.verify.documents.Documents;
import java.time.Duration;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/// Types the tutorials on several clusters and on fleets as they are printed, from the start to the end.
@Tag("slow")
@Tag("alone")
@Timeout(180)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ClustersTutorialIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final LocalMesh mesh = LocalMesh.create();

    @AfterAll
    void stop() {
        mesh.close();
    }

    @TestFactory
    Stream<DynamicTest> commands() {
        return Documents.blocks().stream()
                .filter(Block::isForClusters)
                .flatMap(block -> block.commands().stream()
                        .map(command -> DynamicTest.dynamicTest(block + " " + command.line(), () -> check(command))));
    }

    /// What was just changed may need a moment, but nothing is started or taken down twice.
    private void check(Block.Command command) {
        var typed = TypedCommand.of(command, UnaryOperator.identity());
        if (command.line().startsWith("bin/up --clusters") || command.line().equals("bin/up down")) {
            typed.assertAsPrinted(mesh);
        } else {
            Awaitility.await(command.line()).atMost(PATIENCE).untilAsserted(() -> typed.assertAsPrinted(mesh));
        }
        assertThat(mesh.run().resolve("clusters").toFile().exists())
                .isEqualTo(!command.line().equals("bin/up down"));
    }
}
