// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.MeshFlow;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.model.mesh.Identity;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// Who the proxies of a group are, as their certificates say it: also those of the same Gateway in another cluster, for
/// which the same names mean the same.
final class Principals {
    private static final String ALL = "";
    private static final String ACCOUNT = "gateway.istio.io/service-account";

    private final Groups groups;
    private final Table<String, Set<String>> ofIngress;

    Principals(MeshFlow mesh, Groups groups) {
        this.groups = groups;
        var ingress = mesh.flow()
                .index(
                        "envoy/ingress-groups",
                        groups.table(),
                        group -> group.proxies().role() == ProxyRole.INGRESS ? Set.of(ALL) : Set.of());
        ofIngress = mesh.flow()
                .reduce("envoy/ingress-principals", ingress, (fetch, _, members) -> Optional.of(of(fetch, members)));
    }

    /// Those of one group.
    Set<String> of(Fetch<?> fetch, ObjectKey group) {
        return of(fetch, fetch.one(groups.table(), group).stream().toList());
    }

    /// Those of all ingress gateways.
    Set<String> ofIngress(Fetch<?> fetch) {
        return fetch.one(ofIngress, ALL).orElse(Set.of());
    }

    private Set<String> of(Fetch<?> fetch, List<Group> members) {
        var result = new TreeSet<String>();
        for (var group : members) {
            var accounts = new LinkedHashSet<>(
                    fetch.one(groups.accounts(), group.key()).orElse(Set.of()));
            account(group).ifPresent(accounts::add);
            for (var account : accounts) {
                for (var trustDomain : group.settings().trustDomains()) {
                    result.add(new Identity(trustDomain, group.proxies().namespace(), account).uri());
                }
            }
        }
        return result;
    }

    /// The one that its proxies are deployed with; those of Istio's own Gateways are nobody's to deploy.
    private static Optional<String> account(Group group) {
        var name = group.gateway().name();
        var fallback = switch (group.proxies().role()) {
            case INGRESS -> name + "-istio";
            case WAYPOINT, EAST_WEST -> name;
        };
        return group.gateway().listeners().isEmpty()
                ? Optional.empty()
                : Optional.of(group.gateway().annotations().getOrDefault(ACCOUNT, fallback));
    }
}
