// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.gateway;

import io.fathom.wire.kube.manifest.Metadata;
import java.util.List;
import java.util.stream.Stream;

/// A TLSRoute of the Gateway API: chooses by the server name, without looking into the connection.
public record TlsRouteManifest(
        Metadata metadata, List<ParentRef> parents, List<String> hostnames, List<ConnectionRule> rules)
        implements RouteManifest {
    public TlsRouteManifest {
        parents = List.copyOf(parents);
        hostnames = List.copyOf(hostnames);
        rules = List.copyOf(rules);
    }

    @Override
    public String kind() {
        return "TLSRoute";
    }

    @Override
    public Stream<BackendRef> backends() {
        return rules.stream().flatMap(rule -> rule.backends().stream()).flatMap(WeightedBackend::targets);
    }
}
