// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.zds;

import io.fathom.base.posix.Descriptor;

/// A socket that listens in a pod. It belongs to whoever has it.
///
/// @param name what it is to the proxy, such as `tcp/[::]:15001`
public record PodListener(String name, Descriptor socket) implements AutoCloseable {
    @Override
    public void close() {
        socket.close();
    }
}
