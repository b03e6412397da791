// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.pki;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Runs the real `openssl`, which knows nothing of how our certificates were made.
final class OpenSsl {
    private final Path folder;

    OpenSsl(Path folder) {
        this.folder = folder;
    }

    Path file(String name, String content) throws IOException {
        return Files.writeString(folder.resolve(name), content);
    }

    /// Output and errors together; the first word is `ok` or `failed`.
    String run(String... arguments) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of("openssl"));
        command.addAll(List.of(arguments));
        var process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException("openssl did not end");
        }
        return (process.exitValue() == 0 ? "ok " : "failed ") + output;
    }
}
