// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.state;

import io.fathom.model.mesh.IpBlock;
import io.fathom.model.mesh.LoadBalancing;
import io.fathom.model.mesh.NetworkAddress;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.ServiceWaypoints;
import io.fathom.wire.kube.tree.Choices;
import io.fathom.wire.kube.tree.Field;
import java.util.ArrayList;
import java.util.List;

/// Reads one service of a [LocalMesh].
final class LocalService {
    private static final Choices<LoadBalancing.Scope> SCOPES = Choices.of(LoadBalancing.Scope.class, DumpSpelling::of);
    private static final Choices<LoadBalancing.Mode> MODES = Choices.of(LoadBalancing.Mode.class, DumpSpelling::of);
    private static final Choices<LoadBalancing.HealthPolicy> HEALTH_POLICIES =
            Choices.of(LoadBalancing.HealthPolicy.class, DumpSpelling::of);
    private static final Choices<Service.IpFamilies> FAMILIES = Choices.of(Service.IpFamilies.class, DumpSpelling::of);
    private static final Choices<Service.Visibility> VISIBILITIES =
            Choices.of(Service.Visibility.class, DumpSpelling::of);

    private LocalService() {}

    static Service read(Field it) {
        return new Service(
                it.at("name").requiredText(),
                it.at("namespace").requiredText(),
                it.at("hostname").requiredText(),
                addresses(it),
                LocalMesh.ports(it.at("ports")),
                it.at("subjectAltNames").texts(),
                new ServiceWaypoints(
                        LocalMesh.gateway(it.at("waypoint")),
                        it.at("weightedWaypoints").items().stream()
                                .map(LocalService::weighted)
                                .toList(),
                        Service.IngressWaypoint.SKIPPED),
                loadBalancing(it.at("loadBalancer")),
                it.at("ipFamilies").oneOf(FAMILIES, Service.IpFamilies.AUTOMATIC),
                it.at("canonical").flag() ? Service.Canonical.YES : Service.Canonical.NO,
                it.at("visibility").oneOf(VISIBILITIES, Service.Visibility.PUBLIC));
    }

    private static List<NetworkAddress> addresses(Field it) {
        var addresses = new ArrayList<NetworkAddress>();
        for (var vip : it.at("vips").items()) {
            var text = vip.text();
            var slash = text.indexOf('/');
            addresses.add(
                    new NetworkAddress(text.substring(0, Math.max(slash, 0)), block(vip, text.substring(slash + 1))));
        }
        for (var range : it.at("cidrVips").items()) {
            addresses.add(new NetworkAddress(
                    range.at("network").text(),
                    block(range.at("cidr"), range.at("cidr").requiredText())));
        }
        return addresses;
    }

    private static IpBlock block(Field field, String text) {
        return IpBlock.parse(text)
                .orElseThrow(() -> field.wrong(
                        "manifest-bad-value", "is \"" + field.text() + "\"", "write network/ip, such as /10.0.0.1"));
    }

    private static Service.WeightedWaypoint weighted(Field field) {
        var destination = LocalMesh.gateway(field.at("destination"))
                .orElseThrow(() -> field.at("destination").missing("add a destination"));
        return new Service.WeightedWaypoint(destination, field.at("weight").requiredInteger(0, Integer.MAX_VALUE));
    }

    private static LoadBalancing loadBalancing(Field field) {
        if (!field.isPresent()) {
            return LoadBalancing.NONE;
        }
        return new LoadBalancing(
                field.at("routingPreferences").items().stream()
                        .map(item -> item.oneOf(SCOPES))
                        .toList(),
                field.at("mode").oneOf(MODES, LoadBalancing.Mode.UNSPECIFIED),
                field.at("healthPolicy").oneOf(HEALTH_POLICIES, LoadBalancing.HealthPolicy.ONLY_HEALTHY));
    }
}
