// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.fleet;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/// The TCP connections of one process, as the kernel has them.
record Connections(List<OpenConnection> open) {
    private static final Pattern SOCKET = Pattern.compile("socket:\\[(\\d+)]");
    private static final String ESTABLISHED = "01";
    private static final int LOCAL = 1;
    private static final int REMOTE = 2;
    private static final int STATE = 3;
    private static final int INODE = 9;

    /// @param local port at this end
    /// @param remote port at the other end
    record OpenConnection(int local, int remote) {}

    static Connections of(ProcessHandle process) {
        var sockets = sockets(Path.of("/proc", Long.toString(process.pid()), "fd"));
        var found = new HashSet<OpenConnection>();
        for (var table : List.of("tcp", "tcp6")) {
            try (var lines = Files.lines(Path.of("/proc", Long.toString(process.pid()), "net", table))) {
                lines.skip(1)
                        .map(line -> line.strip().split("\\s+", -1))
                        .filter(row -> row[STATE].equals(ESTABLISHED) && sockets.contains(row[INODE]))
                        .map(row -> new OpenConnection(port(row[LOCAL]), port(row[REMOTE])))
                        .forEach(found::add);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return new Connections(List.copyOf(found));
    }

    private static int port(String address) {
        return Integer.parseInt(address.substring(address.indexOf(':') + 1), 16);
    }

    private static Set<String> sockets(Path folder) {
        var inodes = new HashSet<String>();
        try (var files = Files.list(folder)) {
            files.forEach(file -> {
                try {
                    var socket = SOCKET.matcher(Files.readSymbolicLink(file).toString());
                    if (socket.matches()) {
                        inodes.add(socket.group(1));
                    }
                } catch (IOException _) {
                    // it was closed meanwhile
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return inodes;
    }

    /// How many of them lead to one of these ports.
    int to(Set<Integer> ports) {
        return (int) open.stream()
                .filter(connection -> ports.contains(connection.remote()))
                .count();
    }
}
