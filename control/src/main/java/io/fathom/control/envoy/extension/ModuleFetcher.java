// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.extension;

import java.io.IOException;

/// Gets modules from where they are kept.
@FunctionalInterface
public interface ModuleFetcher {
    /// Blocks until it is there.
    ///
    /// @throws IOException that says in words what went wrong
    byte[] fetch(ModuleSource source) throws IOException, InterruptedException;
}
