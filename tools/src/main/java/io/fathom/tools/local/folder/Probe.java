// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.folder;

import java.time.Duration;

/// How the node finds out whether a container works.
public record Probe(Target target, Duration delay, Duration period, Duration timeout, int failures) {
    /// What is tried. The port may be a name.
    public sealed interface Target {
        record Http(String path, int port) implements Target {}

        record Tcp(int port) implements Target {}
    }
}
