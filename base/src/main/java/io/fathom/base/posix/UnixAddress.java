// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.posix;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/// A path as the kernel takes it: `struct sockaddr_un`.
final class UnixAddress {
    static final int LENGTH = 110;
    private static final int LONGEST_PATH = 107;
    private static final short AF_UNIX = 1;

    private UnixAddress() {}

    static MemorySegment of(Arena arena, Path path) throws PosixException {
        var bytes = path.toString().getBytes(StandardCharsets.UTF_8);
        if (bytes.length > LONGEST_PATH) {
            throw new PosixException(
                    "socket path", path.toString(), 36, "a socket's path has at most " + LONGEST_PATH + " bytes");
        }
        var address = arena.allocate(LENGTH, 8);
        address.set(ValueLayout.JAVA_SHORT, 0, AF_UNIX);
        MemorySegment.copy(bytes, 0, address, ValueLayout.JAVA_BYTE, 2, bytes.length);
        return address;
    }
}
