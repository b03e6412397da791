// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.posix;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

/// How many files the process may have open: the limit in force and the highest it may set itself.
public record OpenFilesLimit(long soft, long hard) {
    private static final int RLIMIT_NOFILE = 7;

    public static OpenFilesLimit current() throws PosixException {
        var values = new long[2];
        var _ = Libc.call("getrlimit", "NOFILE", (arena, state) -> {
            var room = arena.allocate(16, 8);
            var result = Libc.integer(Libc.GETRLIMIT, state, RLIMIT_NOFILE, room.address());
            values[0] = room.get(JAVA_LONG, 0);
            values[1] = room.get(JAVA_LONG, 8);
            return result;
        });
        return new OpenFilesLimit(values[0], values[1]);
    }

    /// Raises the limit in force to the highest and says what it is now.
    public static OpenFilesLimit raise() throws PosixException {
        return current().raised();
    }

    private OpenFilesLimit raised() throws PosixException {
        apply(new OpenFilesLimit(hard, hard));
        return current();
    }

    static void apply(OpenFilesLimit limit) throws PosixException {
        var _ = Libc.call(
                "setrlimit", "NOFILE " + limit.soft(), "the process needs CAP_SYS_RESOURCE", (arena, state) -> {
                    var room = arena.allocate(16, 8);
                    room.set(JAVA_LONG, 0, limit.soft());
                    room.set(JAVA_LONG, 8, limit.hard());
                    return Libc.integer(Libc.SETRLIMIT, state, RLIMIT_NOFILE, room.address());
                });
    }
}
