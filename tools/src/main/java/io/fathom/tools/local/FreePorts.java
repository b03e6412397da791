// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;

/// Ports that a program may have on all of some addresses.
record FreePorts(List<String> addresses) {
    /// The usual one if nobody has it, else any.
    int next(int usual) throws IOException {
        return isFree(usual) ? usual : any();
    }

    private boolean isFree(int port) {
        for (var address : addresses) {
            try (var socket = new ServerSocket()) {
                socket.setReuseAddress(true);
                socket.bind(new InetSocketAddress(InetAddress.ofLiteral(address), port));
            } catch (IOException _) {
                return false;
            }
        }
        return true;
    }

    private int any() throws IOException {
        int port;
        do {
            try (var socket = new ServerSocket()) {
                socket.bind(new InetSocketAddress(InetAddress.ofLiteral(addresses.getLast()), 0));
                port = socket.getLocalPort();
            }
        } while (!isFree(port));
        return port;
    }
}
