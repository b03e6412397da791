// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

/// Tells whoever started the mesh how far it has come: lines in a file, the last of which is [#READY] or [#FAILED].
/// Any thread.
final class Progress {
    static final String READY = "--ready";
    static final String FAILED = "--failed";

    private final Path file;
    private final long begun;
    private final String prefix;

    Progress(Path file, Duration alreadyGone) {
        this(file, System.nanoTime() - alreadyGone.toNanos(), "");
    }

    private Progress(Path file, long begun, String prefix) {
        this.file = file;
        this.begun = begun;
        this.prefix = prefix;
    }

    /// The same, for the steps of one cluster of several.
    Progress of(String cluster) {
        return new Progress(file, begun, cluster + ": ");
    }

    void step(String text) {
        line("  %5.1f s  %s%s".formatted(seconds(), prefix, text));
    }

    double seconds() {
        return (System.nanoTime() - begun) / 1e9;
    }

    void end(String mark, String text) {
        line(text);
        line(mark);
    }

    private void line(String text) {
        try { // one write that appends: lines of several clusters do not mix
            Files.writeString(file, text + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
