// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.policy;

import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.network.Entrances.Entrance;
import io.fathom.control.ambient.service.Memberships;
import io.fathom.control.ambient.waypoint.NamespaceContext;
import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.IpBlock;
import io.fathom.model.mesh.Workload;
import io.fathom.model.policy.Authorization;
import io.fathom.model.policy.Authorization.Group;
import io.fathom.model.policy.Authorization.Rules;
import io.fathom.model.policy.StringMatch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/// The policies that keep clients of other networks to what all clusters share. The tunnel that an east-west gateway
/// hands on to a pod is one that it cannot read, so a client may ask in it for any port of that pod. But it comes from
/// the gateway's address, with an identity that is not the gateway's: such a tunnel is denied, unless it leads to a
/// port that a service of all clusters has there.
///
/// Pods with the same such ports share a policy. Its name holds them; none in Kubernetes has an underscore.
public final class EntrancePolicies {
    private static final String SEPARATOR = "_";
    private static final String PREFIX = "fathom_ports_of_all_clusters";
    private static final int WORDS_OF_PREFIX = PREFIX.split(SEPARATOR, -1).length;

    private final Table<String, Authorization> table;

    /// @param pods workloads of pods by uid
    /// @param entrances by network
    public EntrancePolicies(Flow flow, Table<String, Workload> pods, Table<String, Entrance> entrances) {
        var byKey = flow.index("pods/by-ports-of-all-clusters", pods, EntrancePolicies::keys);
        table = flow.reduce(
                "entrance-policies",
                byKey,
                (fetch, key, found) ->
                        fetch.one(entrances, found.iterator().next().network()).map(entrance -> policy(key, entrance)));
    }

    /// By resource name.
    public Table<String, Authorization> authorizations() {
        return table;
    }

    /// What a pod lists besides: only one that can be reached from other networks at all.
    public static List<String> append(
            List<String> keys, NamespaceContext context, String namespace, Memberships memberships) {
        var ports = memberships.globalPorts();
        if (!context.entered() || ports.isEmpty() || memberships.role().isPresent()) {
            return keys;
        }
        var name = new StringBuilder(namespace).append('/').append(PREFIX);
        ports.forEach(port -> name.append(SEPARATOR).append(port));
        var result = new ArrayList<>(keys);
        result.add(name.toString());
        return List.copyOf(result);
    }

    private static Set<String> keys(Workload workload) {
        return workload.authorizationPolicies().stream()
                .filter(key -> key.startsWith(PREFIX, key.indexOf('/') + 1))
                .collect(Collectors.toUnmodifiableSet());
    }

    private static Authorization policy(String key, Entrance entrance) {
        var slash = key.indexOf('/');
        var name = key.substring(slash + 1);
        var match = new MatchFields();
        match.sourceIps = entrance.addresses().stream()
                .map(ip -> new IpBlock(ip, ip.family().bits()))
                .toList();
        // Plain connections have no identity: they are not tunnels of others.
        match.principals = List.of(new StringMatch.Presence());
        match.notPrincipals = entrance.identities().stream()
                .map(Identity::principal)
                .<StringMatch>map(StringMatch.Exact::new)
                .toList();
        match.notDestinationPorts = Arrays.stream(name.split(SEPARATOR, -1))
                .skip(WORDS_OF_PREFIX)
                .map(Integer::valueOf)
                .toList();
        return new Authorization(
                name,
                key.substring(0, slash),
                Authorization.Scope.WORKLOAD_SELECTOR,
                Authorization.Action.DENY,
                List.of(new Group(List.of(new Rules(List.of(match.toMatch()))))),
                Authorization.DryRun.NO);
    }
}
