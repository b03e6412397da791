// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.verify.documents.Block;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/// A command of a document, as somebody types it, and what the document says that it prints.
record TypedCommand(String line, String printed) {
    private static final Pattern STATUS = Pattern.compile("# (\\d{3})\\b");
    private static final Pattern NAME = Pattern.compile("\"\\w+\":");
    private static final int KILLED_BY_TIMEOUT = 124;

    /// @param here what differs on this machine from the machine of the document
    static TypedCommand of(Block.Command command, UnaryOperator<String> here) {
        return new TypedCommand(here.apply(command.line()), command.printed());
    }

    /// It succeeds, and prints at least the lines of the document.
    void assertAsPrinted(LocalMesh mesh) {
        var endless = line.contains(" -f ");
        var result = mesh.shell(endless ? "timeout 3 " + line : line);
        assertThat(result.code()).as(result.out()).isEqualTo(endless ? KILLED_BY_TIMEOUT : 0);
        assertThat(result.out()).isNotBlank();
        assertThat(result.out().lines().map(TypedCommand::shape))
                .containsAll(printed.lines().map(TypedCommand::shape).toList());
        var status = STATUS.matcher(line);
        if (status.find()) {
            assertThat(result.out()).contains("HTTP/1.1 " + status.group(1) + " ");
        }
    }

    /// A line without what differs from run to run: of JSON only the names.
    private static String shape(String line) {
        var names = NAME.matcher(line).results().map(MatchResult::group).toList();
        return names.isEmpty() ? line : names.toString();
    }
}
