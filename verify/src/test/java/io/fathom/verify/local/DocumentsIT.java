// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.verify.documents.Block;
import io.fathom.verify.documents.Documents;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/// Types the commands of all documents that are marked as runnable, as they are printed, in one mesh: first those that
/// start it, last those that take it down.
@Tag("slow")
@Tag("alone")
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DocumentsIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String START = "bin/up";
    private static final String DOWN = "bin/up down";
    private static final String PRINTED_INGRESS = "198.19.0.101";
    private static final Pattern INGRESS = Pattern.compile("http://(198[.]19[.]\\d+[.]\\d+)/");

    private final LocalMesh mesh = LocalMesh.create();
    private String ingress = PRINTED_INGRESS;

    @AfterAll
    void stop() {
        mesh.close();
    }

    @TestFactory
    Stream<DynamicTest> commands() {
        var runnable = Documents.blocks().stream().filter(Block::isRunnable).toList();
        var between = runnable.stream().filter(block -> !is(block, START) && !is(block, DOWN));
        return Stream.of(
                        runnable.stream().filter(block -> is(block, START)).limit(1),
                        between,
                        runnable.stream().filter(block -> is(block, DOWN)).limit(1))
                .flatMap(blocks -> blocks)
                .flatMap(block -> block.commands().stream()
                        .map(command -> DynamicTest.dynamicTest(block + " " + command.line(), () -> check(command))));
    }

    private static boolean is(Block block, String script) {
        return block.text().strip().equals(script);
    }

    private void check(Block.Command command) {
        if (List.of(START, DOWN).contains(command.line())) {
            var result = mesh.shell(command.line());
            assertThat(result.code()).as(result.out()).isZero();
            var printed = INGRESS.matcher(result.out());
            ingress = printed.find() ? printed.group(1) : ingress;
        } else { // what was just started may need a moment
            Awaitility.await(command.line())
                    .atMost(PATIENCE)
                    .untilAsserted(() -> TypedCommand.of(command, line -> line.replace(PRINTED_INGRESS, ingress))
                            .assertAsPrinted(mesh));
        }
    }
}
