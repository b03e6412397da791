// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.posix;

import java.util.Map;

/// Why a system call failed, for people. Numbers that nobody here meets stay numbers.
final class Errno {
    static final int EPERM = 1;
    static final int ENOENT = 2;
    static final int EINTR = 4;
    static final int EAGAIN = 11;
    static final int EINVAL = 22;
    static final int EPIPE = 32;
    static final int ECONNRESET = 104;
    static final int ENOTCONN = 107;

    private static final Map<Integer, String> WORDS = Map.ofEntries(
            Map.entry(EPERM, "EPERM, not permitted"),
            Map.entry(ENOENT, "ENOENT, no such file"),
            Map.entry(9, "EBADF, not an open descriptor"),
            Map.entry(EAGAIN, "EAGAIN, timed out"),
            Map.entry(13, "EACCES, permission denied"),
            Map.entry(EINVAL, "EINVAL, invalid argument"),
            Map.entry(23, "ENFILE, too many open files in the system"),
            Map.entry(24, "EMFILE, too many open files in this process"),
            Map.entry(25, "ENOTTY, not that kind of file"),
            Map.entry(EPIPE, "EPIPE, the peer has closed"),
            Map.entry(90, "EMSGSIZE, message too long"),
            Map.entry(91, "EPROTOTYPE, the socket there is of another type"),
            Map.entry(92, "ENOPROTOOPT, no such option"),
            Map.entry(97, "EAFNOSUPPORT, address family not supported"),
            Map.entry(98, "EADDRINUSE, already in use"),
            Map.entry(99, "EADDRNOTAVAIL, no such address here"),
            Map.entry(ECONNRESET, "ECONNRESET, reset by the peer"),
            Map.entry(ENOTCONN, "ENOTCONN, not connected"),
            Map.entry(111, "ECONNREFUSED, nobody listens there"));

    private Errno() {}

    static String text(int errno) {
        return WORDS.getOrDefault(errno, "errno " + errno);
    }
}
