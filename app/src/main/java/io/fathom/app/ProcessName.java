// SPDX-License-Identifier: Apache-2.0
package io.fathom.app;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.LoggerFactory;

/// The name that `ps`, `top`, `pgrep` and `ss -p` show for this process: the program's own, not `java`.
public final class ProcessName {
    private static final Path FILE = Path.of("/proc/self/comm");

    private ProcessName() {}

    /// Linux shows the first 15 characters.
    public static void set(String name) {
        try {
            Files.writeString(FILE, name);
        } catch (IOException e) {
            LoggerFactory.getLogger(ProcessName.class)
                    .atDebug()
                    .addKeyValue("reason", e)
                    .log("the process keeps its name");
        }
    }
}
