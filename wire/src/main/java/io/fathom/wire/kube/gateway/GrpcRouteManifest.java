// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.gateway;

import io.fathom.wire.kube.gateway.HttpRouteManifest.SessionPersistence;
import io.fathom.wire.kube.manifest.Metadata;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// A GRPCRoute of the Gateway API.
public record GrpcRouteManifest(
        Metadata metadata, List<ParentRef> parents, List<String> hostnames, List<GrpcRule> rules)
        implements RouteManifest {

    public GrpcRouteManifest {
        parents = List.copyOf(parents);
        hostnames = List.copyOf(hostnames);
        rules = List.copyOf(rules);
    }

    @Override
    public String kind() {
        return "GRPCRoute";
    }

    @Override
    public Stream<BackendRef> backends() {
        return rules.stream()
                .flatMap(rule -> Stream.concat(
                        rule.filters().stream().flatMap(RouteFilter::backends),
                        rule.backends().stream().flatMap(WeightedBackend::targets)));
    }

    @Override
    public Stream<RouteFilter> filters() {
        return rules.stream()
                .flatMap(rule -> Stream.concat(
                        rule.filters().stream(),
                        rule.backends().stream().flatMap(backend -> backend.filters().stream())));
    }

    /// What becomes of the calls that one of the matches fits.
    ///
    /// @param matches empty for all calls
    public record GrpcRule(
            String name,
            List<GrpcMatch> matches,
            List<RouteFilter> filters,
            List<WeightedBackend> backends,
            Optional<SessionPersistence> persistence) {
        public GrpcRule {
            matches = List.copyOf(matches);
            filters = List.copyOf(filters);
            backends = List.copyOf(backends);
        }
    }

    /// All of it must fit.
    public record GrpcMatch(Optional<MethodMatch> method, List<ValueMatch> headers) {
        public GrpcMatch {
            headers = List.copyOf(headers);
        }
    }

    /// At least one of both is there; what is empty fits all.
    public record MethodMatch(Comparison comparison, String service, String method) {}
}
