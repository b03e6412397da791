// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.netns;

import io.fathom.model.mesh.Ip;
import io.fathom.node.cni.netns.NamespaceView.ListeningSocket;
import java.util.HexFormat;
import java.util.Set;

/// Reads the files of `/proc/net`. Pure.
final class NetFiles {
    private static final String TCP_LISTEN = "0A";
    private static final String UDP_UNCONNECTED = "07";

    private NetFiles() {}

    /// Of `fib_trie`: a line with an address, then one that says it is local.
    static void localIpv4(String text, Set<Ip> into) {
        var last = "";
        for (var line : (Iterable<String>) text.lines()::iterator) {
            var words = line.strip();
            if (words.startsWith("|-- ")) {
                last = words.substring(4);
            } else if (words.startsWith("/32 host LOCAL")) {
                Ip.parse(last).ifPresent(into::add);
            }
        }
    }

    /// Of `if_inet6`: 32 digits, and then what is of no interest.
    static void localIpv6(String text, Set<Ip> into) {
        for (var line : (Iterable<String>) text.lines()::iterator) {
            if (line.length() > 32 && line.charAt(32) == ' ') {
                into.add(Ip.ofBytes(HexFormat.of().parseHex(line.substring(0, 32)))
                        .unmapped());
            }
        }
    }

    /// Of `tcp`, `udp` and their twins: number, local address and port, remote ones, state.
    static void listeners(String text, ListeningSocket.Protocol protocol, Set<ListeningSocket> into) {
        var wanted = protocol == ListeningSocket.Protocol.TCP ? TCP_LISTEN : UDP_UNCONNECTED;
        for (var line : (Iterable<String>) text.lines().skip(1)::iterator) {
            var words = line.strip().split(" +", 5);
            if (words.length == 5 && words[3].equals(wanted)) {
                var colon = words[1].lastIndexOf(':');
                into.add(new ListeningSocket(protocol, Integer.parseInt(words[1].substring(colon + 1), 16)));
            }
        }
    }
}
