// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.LoadBalancing;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The endpoints of a service that clients of one vantage may use for one port, nearest first, ready to be drawn from
/// without looking at each. Immutable.
final class Eligible {
    /// What the endpoint is wanted for: a gateway may be reached on a port that its service does not list.
    enum Purpose {
        TRAFFIC,
        GATEWAY
    }

    /// Identifies a set among those of one service.
    record Key(ClientLocation vantage, int port, Purpose purpose) {}

    final Key key;
    final Member[] members;
    private final int[] ports;
    /// How many of them are nearest: drawn from, while the rest only serves when these were all tried.
    final int nearest;
    /// Running sums of the weights of the nearest; empty when all weigh the same.
    private final long[] sums;

    private Eligible(Key key, Member[] members, int[] ports, int nearest, long[] sums) {
        this.key = key;
        this.members = members;
        this.ports = ports;
        this.nearest = nearest;
        this.sums = sums;
    }

    @SuppressWarnings("ReferenceEquality") // replicas share their role: ask it once in a row
    static Eligible of(Backends backends, Service service, Key key) {
        var balancing = service.loadBalancing();
        var anyPort = key.purpose == Purpose.GATEWAY
                || service.ports().stream().anyMatch(port -> port.servicePort() == key.port);
        var all = anyPort ? backends.members : Backends.NO_MEMBERS;
        var members = new Member[all.length];
        var ports = new int[all.length];
        var ranks = new int[all.length];
        var count = 0;
        @Nullable Role role = null;
        var port = 0;
        for (var member : all) {
            if (member.role != role) {
                role = member.role;
                port = port(role, service, backends.key, key.port);
            }
            var rank = key.vantage.rank(balancing, member);
            if (port > 0 && rank >= 0 && healthy(member, balancing) && reachable(member, service, key.vantage)) {
                members[count] = member;
                ports[count] = port;
                ranks[count++] = rank;
            }
        }
        return sorted(key, members, ports, ranks, count);
    }

    /// Nearest first; ranks are few, so one pass for each is cheap.
    private static Eligible sorted(Key key, Member[] members, int[] ports, int[] ranks, int count) {
        var sortedMembers = new Member[count];
        var sortedPorts = new int[count];
        var nearest = 0;
        var done = 0;
        for (var rank = Arrays.stream(ranks, 0, count).max().orElse(-1); done < count; rank--) {
            for (int i = 0; i < count; i++) {
                if (ranks[i] == rank) {
                    sortedMembers[done] = members[i];
                    sortedPorts[done++] = ports[i];
                }
            }
            nearest = nearest == 0 ? done : nearest;
        }
        var onePort = count > 0 && Arrays.stream(sortedPorts).allMatch(port -> port == sortedPorts[0]);
        return new Eligible(
                key,
                sortedMembers,
                onePort ? new int[] {sortedPorts[0]} : sortedPorts,
                nearest,
                sums(sortedMembers, nearest));
    }

    private static long[] sums(Member[] members, int count) {
        var sums = new long[count];
        var even = true;
        for (int i = 0; i < count; i++) {
            var weight = members[i].role.weight();
            even &= weight == members[0].role.weight();
            sums[i] = (i == 0 ? 0 : sums[i - 1]) + weight;
        }
        return even ? new long[0] : sums;
    }

    static boolean healthy(Member member, LoadBalancing balancing) {
        return member.health == Workload.Health.HEALTHY
                || balancing.healthPolicy() == LoadBalancing.HealthPolicy.ALLOW_ALL;
    }

    private static boolean reachable(Member member, Service service, ClientLocation from) {
        if (!member.network().equals(from.network())
                && member.role.gateways().network().isPresent()) {
            return true;
        }
        if (!member.hostname.isEmpty()) {
            return true;
        }
        return member.hasIp(service.ipFamilies());
    }

    static boolean permits(Service.IpFamilies families, Ip.Family family) {
        return switch (families) {
            case AUTOMATIC, DUAL -> true;
            case IPV4_ONLY -> family == Ip.Family.V4;
            case IPV6_ONLY -> family == Ip.Family.V6;
        };
    }

    /// The endpoint's own target, else the service's, else the port as it is for one that takes a tunnel; 0 if none.
    private static int port(Role role, Service service, String serviceKey, int port) {
        var own = Member.target(role.services().getOrDefault(serviceKey, List.of()), port);
        if (own > 0) {
            return own;
        }
        var general = Member.target(service.ports(), port);
        if (general > 0) {
            return general;
        }
        var tunnel = role.tunnel().application();
        return tunnel.isPresent() && tunnel.get().port() > 0 ? port : 0;
    }

    int port(int position) {
        return ports.length == 1 ? ports[0] : ports[position];
    }

    boolean isEmpty() {
        return members.length == 0;
    }

    /// The total weight of the nearest.
    long weight() {
        return sums.length == 0 ? nearest : sums[nearest - 1];
    }

    /// The position that a number below [#weight()] falls on: each endpoint gets as many numbers as it weighs.
    int position(long ticket) {
        if (sums.length == 0) {
            return (int) ticket;
        }
        int low = 0;
        int high = nearest - 1;
        while (low < high) {
            var middle = (low + high) >>> 1;
            if (sums[middle] > ticket) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }
}
