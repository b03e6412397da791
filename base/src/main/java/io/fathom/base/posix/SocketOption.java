// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.posix;

/// A socket option with a number for a value, by the numbers of Linux.
public record SocketOption(String name, int level, int number) {
    private static final int SOL_SOCKET = 1;

    public static final SocketOption RECEIVE_BUFFER = new SocketOption("SO_RCVBUF", SOL_SOCKET, 8);
    public static final SocketOption REUSE_PORT = new SocketOption("SO_REUSEPORT", SOL_SOCKET, 15);
    public static final SocketOption MARK = new SocketOption("SO_MARK", SOL_SOCKET, 36);
    public static final SocketOption IP_FREEBIND = new SocketOption("IP_FREEBIND", 0, 15);
    public static final SocketOption IP_TRANSPARENT = new SocketOption("IP_TRANSPARENT", 0, 19);
    public static final SocketOption IPV6_TRANSPARENT = new SocketOption("IPV6_TRANSPARENT", 41, 75);
    public static final SocketOption IPV6_FREEBIND = new SocketOption("IPV6_FREEBIND", 41, 78);

    static final SocketOption PEER_CREDENTIALS = new SocketOption("SO_PEERCRED", SOL_SOCKET, 17);
    static final SocketOption RECEIVE_TIMEOUT = new SocketOption("SO_RCVTIMEO", SOL_SOCKET, 20);
    static final SocketOption SEND_TIMEOUT = new SocketOption("SO_SNDTIMEO", SOL_SOCKET, 21);

    String whenDenied() {
        return equals(MARK)
                ? "the process needs CAP_NET_ADMIN, or CAP_NET_RAW on Linux 5.17 and later"
                : "the process needs CAP_NET_ADMIN or CAP_NET_RAW";
    }
}
