// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.net;

import io.fathom.base.posix.NamespaceThread;
import io.fathom.base.posix.NetworkNamespace;
import io.fathom.tools.local.folder.Probe;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/// Connections that begin on a node, in its network namespace: what a kubelet opens to probe its pods. Any thread.
public final class NodeSockets {
    private static final int MOST = 4 << 20;

    private final NamespaceThread traveller;
    private final NetworkNamespace node;

    public NodeSockets(NamespaceThread traveller, Path namespace) throws IOException {
        this.traveller = traveller;
        this.node = NetworkNamespace.open(namespace);
    }

    /// Makes the classes known before they are used elsewhere: loading them over there might start threads there.
    public static void warm() throws IOException {
        SocketChannel.open(StandardProtocolFamily.INET).close();
    }

    /// Whether the target answers as a probe wants it to.
    public boolean answers(String ip, Probe probe) {
        try {
            return switch (probe.target()) {
                case Probe.Target.Tcp(var port) -> {
                    connect(ip, port, probe.timeout()).close();
                    yield true;
                }
                case Probe.Target.Http(var path, var port) -> {
                    var answer = get(ip, port, path, probe.timeout());
                    yield answer.matches("(?s)HTTP/1\\.[01] [23]\\d\\d.*");
                }
            };
        } catch (IOException _) {
            return false;
        }
    }

    /// A whole answer, headers and all.
    public String get(String ip, int port, String path, Duration timeout) throws IOException {
        var request = "GET %s HTTP/1.1\r\nHost: %s:%d\r\nUser-Agent: kube-probe/fathom\r\nConnection: close\r\n\r\n"
                .formatted(path, ip, port);
        try (var channel = connect(ip, port, timeout)) {
            var socket = channel.socket();
            socket.setSoTimeout((int) timeout.toMillis());
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readNBytes(MOST), StandardCharsets.UTF_8);
        }
    }

    private SocketChannel connect(String ip, int port, Duration timeout) throws IOException {
        var channel = traveller.inside(node, () -> SocketChannel.open(StandardProtocolFamily.INET));
        try {
            channel.socket().connect(new InetSocketAddress(InetAddress.ofLiteral(ip), port), (int) timeout.toMillis());
            return channel;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }
}
