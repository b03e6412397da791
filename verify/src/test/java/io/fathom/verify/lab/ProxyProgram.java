// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.lab;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// A node proxy that can be started on a node of the lab.
///
/// @param command without arguments; everything else is in the environment
public record ProxyProgram(String name, List<String> command) {
    public ProxyProgram {
        command = List.copyOf(command);
    }

    /// Ours, from the classes that the test runs with.
    public static ProxyProgram ours() {
        return new ProxyProgram(
                "fathom",
                List.of(
                        ProcessHandle.current().info().command().orElse("java"),
                        "-XX:+UseCompactObjectHeaders",
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "io.fathom.app.ztunnel.ZtunnelMain"));
    }

    /// Ours, as it is installed.
    public static ProxyProgram ours(Path launcher) {
        return new ProxyProgram("fathom", List.of(launcher.toString()));
    }

    /// A stock one, if `ZTUNNEL_BIN` names it.
    public static Optional<ProxyProgram> stock() {
        return Optional.ofNullable(System.getenv("ZTUNNEL_BIN"))
                .filter(path -> !path.isEmpty())
                .map(path -> new ProxyProgram("stock", List.of(path)));
    }
}
