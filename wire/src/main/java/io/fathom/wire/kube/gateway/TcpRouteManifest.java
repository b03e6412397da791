// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.gateway;

import io.fathom.wire.kube.manifest.Metadata;
import java.util.List;
import java.util.stream.Stream;

/// A TCPRoute of the Gateway API.
public record TcpRouteManifest(Metadata metadata, List<ParentRef> parents, List<ConnectionRule> rules)
        implements RouteManifest {
    public TcpRouteManifest {
        parents = List.copyOf(parents);
        rules = List.copyOf(rules);
    }

    @Override
    public String kind() {
        return "TCPRoute";
    }

    @Override
    public List<String> hostnames() {
        return List.of();
    }

    @Override
    public Stream<BackendRef> backends() {
        return rules.stream().flatMap(rule -> rule.backends().stream()).flatMap(WeightedBackend::targets);
    }
}
