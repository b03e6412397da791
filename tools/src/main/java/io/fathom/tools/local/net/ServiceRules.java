// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.net;

import io.fathom.tools.local.folder.LocalServicePort;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// What kube-proxy does on a node, as a table of nftables: each connection to the address of a Service goes to one of
/// its pods, and is refused if there is none. For those that no node proxy captures. Pure.
public final class ServiceRules {
    private static final String TABLE = "table ip fathom-services";

    /// A port of a Service, and where its pods are.
    ///
    /// @param pods each with an address and a port
    public record Forwarding(String ip, LocalServicePort.Protocol protocol, int port, List<Pod> pods) {
        public Forwarding {
            pods = List.copyOf(pods);
        }
    }

    public record Pod(String ip, int port) {}

    private ServiceRules() {}

    /// Replaces what is there, all at once. Who comes from the machine, or from a pod on the same bridge, is given the
    /// node's own address: else the answer would take a way around the node.
    static String of(Slot slot, int node, List<Forwarding> forwardings) {
        return """
                add %1$s
                delete %1$s
                %1$s {
                  chain services {
                %2$s  }
                  chain prerouting { type nat hook prerouting priority -100; jump services; }
                  chain output { type nat hook output priority -100; jump services; }
                  chain postrouting {
                    type nat hook postrouting priority 100;
                    ct status dnat ip saddr %3$s masquerade
                    ct status dnat ip saddr %4$s ip daddr %4$s masquerade
                  }
                  chain nobody {
                    ip daddr %5$s meta l4proto tcp reject with tcp reset
                    ip daddr %5$s reject
                  }
                  chain forward { type filter hook forward priority 0; jump nobody; }
                  chain local { type filter hook output priority 0; jump nobody; }
                }
                """.formatted(
                        TABLE,
                        forwardings.stream()
                                .filter(forwarding -> !forwarding.pods().isEmpty())
                                .map(ServiceRules::line)
                                .sorted()
                                .collect(Collectors.joining()),
                        slot.machine(),
                        slot.podBlock(node),
                        slot.serviceBlock());
    }

    private static String line(Forwarding forwarding) {
        var pods = forwarding.pods();
        var choices = IntStream.range(0, pods.size())
                .mapToObj(
                        i -> i + " : " + pods.get(i).ip() + " . " + pods.get(i).port())
                .collect(Collectors.joining(", "));
        return "    ip daddr %s %s dport %d dnat ip to numgen random mod %d map { %s }%n"
                .formatted(forwarding.ip(), forwarding.protocol().title(), forwarding.port(), pods.size(), choices);
    }
}
