// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.netns;

import io.fathom.base.posix.NamespaceThread;
import io.fathom.base.posix.NetworkNamespace;
import io.fathom.model.mesh.Ip;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/// What is inside a network namespace, read from the kernel's own files.
public final class NamespaceView {
    private static final Path OF_THIS_THREAD = Path.of("/proc/thread-self/net");

    private final NamespaceThread visitor;

    public NamespaceView(NamespaceThread visitor) {
        this.visitor = visitor;
    }

    /// A port on which somebody waits for connections or datagrams.
    public record ListeningSocket(Protocol protocol, int port) {
        public enum Protocol {
            TCP,
            UDP
        }
    }

    /// All addresses of all interfaces, IPv4 ones never in the form of IPv6.
    public Set<Ip> addresses(NetworkNamespace namespace) throws IOException {
        var texts = visitor.inside(namespace, () -> new String[] {read("fib_trie"), read("if_inet6")});
        var addresses = new HashSet<Ip>();
        NetFiles.localIpv4(texts[0], addresses);
        NetFiles.localIpv6(texts[1], addresses);
        return addresses;
    }

    public Set<ListeningSocket> listeners(NetworkNamespace namespace) throws IOException {
        var texts =
                visitor.inside(namespace, () -> new String[] {read("tcp"), read("tcp6"), read("udp"), read("udp6")});
        var listeners = new HashSet<ListeningSocket>();
        for (var i = 0; i < texts.length; i++) {
            NetFiles.listeners(
                    texts[i], i < 2 ? ListeningSocket.Protocol.TCP : ListeningSocket.Protocol.UDP, listeners);
        }
        return listeners;
    }

    /// A kernel without IPv6 lacks some of them.
    private static String read(String file) throws IOException {
        try {
            return Files.readString(OF_THIS_THREAD.resolve(file));
        } catch (NoSuchFileException e) {
            return "";
        }
    }
}
