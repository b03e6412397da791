// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.Port;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import io.fathom.model.mesh.WorkloadNetwork;
import io.fathom.model.mesh.WorkloadOwner;
import io.fathom.model.mesh.WorkloadPlace;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A workload as a view keeps it: what it has in common with others is shared, so a node can hold a whole mesh.
/// Immutable.
final class Member implements Occupants {
    /// When several claim one address: pods before entries, those with a tunnel before those without.
    static final Comparator<Member> BEST_FIRST =
            Comparator.comparingInt((Member member) -> -member.claim()).thenComparing(member -> member.uid);

    private static final Ip[] NONE = {};

    final String uid;
    final Role role;
    final NodeLocality place;
    final String hostname;
    final Workload.Health health;
    private final @Nullable String name;
    private final @Nullable Ip first;
    private final Ip[] others;

    private Member(Workload workload, Role role, NodeLocality place, Pool pool) {
        this.uid = workload.uid();
        this.role = role;
        this.place = place;
        this.hostname = pool.share(workload.hostname());
        this.health = workload.health();
        this.name = workload.name().equals(lastPart(uid)) ? null : workload.name();
        var ips = workload.addresses();
        this.first = ips.isEmpty() ? null : ips.getFirst();
        this.others = ips.size() < 2 ? NONE : ips.subList(1, ips.size()).toArray(Ip[]::new);
    }

    static Member of(Workload workload, Pool pool) {
        var locality = workload.locality();
        var place = new NodeLocality(pool.share(workload.node()), pool.share(locality));
        return new Member(workload, Role.of(workload, pool), pool.share(place), pool);
    }

    private static String lastPart(String uid) {
        return uid.substring(uid.lastIndexOf('/') + 1);
    }

    String name() {
        return name == null ? lastPart(uid) : name;
    }

    String network() {
        return role.network();
    }

    boolean hasIp(Service.IpFamilies permitted) {
        if (first == null) {
            return false;
        }
        if (Eligible.permits(permitted, first.family())) {
            return true;
        }
        for (var other : others) {
            if (Eligible.permits(permitted, other.family())) {
                return true;
            }
        }
        return false;
    }

    List<Ip> ips() {
        if (first == null) {
            return List.of();
        }
        if (others.length == 0) {
            return List.of(first);
        }
        var ips = new ArrayList<Ip>(others.length + 1);
        ips.add(first);
        ips.addAll(List.of(others));
        return ips;
    }

    boolean owns(Ip ip) {
        if (ip.equals(first)) {
            return true;
        }
        for (var other : others) {
            if (other.equals(ip)) {
                return true;
            }
        }
        return false;
    }

    private int claim() {
        return (uid.contains("//Pod/") ? 2 : 0) + (role.tunnels() ? 1 : 0);
    }

    /// The target of a port in a list of ports; 0 when there is none, or each endpoint says for itself.
    static int target(List<Port> ports, int port) {
        for (var candidate : ports) {
            if (candidate.servicePort() == port) {
                return candidate.targetPort();
            }
        }
        return 0;
    }

    /// Made anew on each call.
    Workload workload() {
        return new Workload(
                uid,
                name(),
                role.namespace(),
                new WorkloadNetwork(role.network(), ips(), hostname, role.networkMode()),
                role.tunnel(),
                role.security(),
                role.gateways(),
                new WorkloadPlace(role.clusterId(), place.node(), place.locality()),
                role.canonical(),
                new WorkloadOwner(role.type(), role.workloadName() == null ? name() : role.workloadName()),
                health,
                role.membership());
    }

    @Override
    public String toString() {
        return uid;
    }
}
