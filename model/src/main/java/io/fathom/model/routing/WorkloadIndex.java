// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import io.fathom.base.flow.PersistentMap;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.Workload;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// Workloads by uid, by address, by hostname, and those of this node by name. Immutable.
///
/// @param byIp workloads of all networks that have the address; those on the host's network are not in it, since the
/// address is the node's
/// @param local workloads of this node by `namespace/name`
record WorkloadIndex(
        PersistentMap<String, Member> byUid,
        PersistentMap<Ip, Occupants> byIp,
        PersistentMap<String, Occupants> byHostname,
        PersistentMap<String, Occupants> local,
        Optional<String> node) {

    static WorkloadIndex empty(Optional<String> node) {
        return new WorkloadIndex(
                PersistentMap.empty(), PersistentMap.empty(), PersistentMap.empty(), PersistentMap.empty(), node);
    }

    /// The uid must not be in it.
    WorkloadIndex with(Member member) {
        return change(member, byUid.with(member.uid, member), old -> Occupants.with(old, member));
    }

    WorkloadIndex without(Member member) {
        return change(member, byUid.without(member.uid), old -> Occupants.without(old, member));
    }

    private WorkloadIndex change(
            Member member, PersistentMap<String, Member> uids, UnaryOperator<@Nullable Occupants> change) {
        var ips = byIp;
        if (member.role.networkMode() == Workload.NetworkMode.STANDARD) {
            for (var ip : member.ips()) {
                ips = change(ips, ip, change);
            }
        }
        var hostnames = member.hostname.isEmpty()
                ? byHostname
                : change(byHostname, member.role.namespace() + "/" + member.hostname, change);
        var locals = isLocal(member) ? change(local, member.role.namespace() + "/" + member.name(), change) : local;
        return new WorkloadIndex(uids, ips, hostnames, locals, node);
    }

    private static <K> PersistentMap<K, Occupants> change(
            PersistentMap<K, Occupants> map, K key, UnaryOperator<@Nullable Occupants> change) {
        var next = change.apply(map.get(key));
        return next == null ? map.without(key) : map.with(key, next);
    }

    /// Without a node of its own a proxy counts every workload as local.
    private boolean isLocal(Member member) {
        return node.isEmpty() || node.get().equals(member.place.node());
    }

    @Nullable
    Member at(String network, Ip ip) {
        return at(network, ip, _ -> true);
    }

    /// The best of those at the address that are wanted.
    @Nullable
    Member at(String network, Ip ip, Predicate<Member> wanted) {
        var occupants = byIp.get(ip);
        if (occupants instanceof Member member) {
            return member.network().equals(network) && wanted.test(member) ? member : null;
        }
        if (occupants != null) {
            for (var member : occupants.list()) {
                if (member.network().equals(network) && wanted.test(member)) {
                    return member;
                }
            }
        }
        return null;
    }

    @Nullable
    Member named(String namespace, String hostname) {
        var occupants = byHostname.get(namespace + "/" + hostname);
        return occupants == null ? null : occupants.list().getFirst();
    }

    @Nullable
    Member local(String namespace, String name, String serviceAccount) {
        var occupants = local.get(namespace + "/" + name);
        if (occupants != null) {
            for (var member : occupants.list()) {
                if (account(member.role.security().serviceAccount()).equals(account(serviceAccount))) {
                    return member;
                }
            }
        }
        return null;
    }

    private static String account(String name) {
        return name.isEmpty() ? "default" : name;
    }
}
