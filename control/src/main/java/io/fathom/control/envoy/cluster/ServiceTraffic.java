// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import io.fathom.control.envoy.view.MeshService.ServicePort;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.networking.DestinationRuleManifest.Subset;
import io.fathom.wire.kube.traffic.TrafficPolicy;
import io.fathom.wire.kube.traffic.TrafficPolicy.ConsistentHash;
import io.fathom.wire.kube.traffic.TrafficPolicy.LoadBalancer;
import io.fathom.wire.kube.traffic.TrafficPolicy.RetryBudget;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What DestinationRules and policies of backends say about one service, to the proxies of one group.
///
/// @param tls those that apply, the winner of each port first
/// @param retryBudget of an XBackendTrafficPolicy; wins over one of a rule
public record ServiceTraffic(Optional<TrafficRule> rule, List<BackendTls> tls, Optional<RetryBudget> retryBudget) {
    public static final ServiceTraffic NONE = new ServiceTraffic(Optional.empty(), List.of(), Optional.empty());

    /// One or more DestinationRules for the same host, put together.
    ///
    /// @param source the one that counts most
    public record TrafficRule(
            ObjectKey source, TrafficPolicy policy, Map<Integer, TrafficPolicy> ports, List<Subset> subsets) {
        public TrafficRule {
            ports = Map.copyOf(ports);
            subsets = List.copyOf(subsets);
        }
    }

    public ServiceTraffic {
        tls = List.copyOf(tls);
    }

    public List<Subset> subsets() {
        return rule.map(TrafficRule::subsets).orElse(List.of());
    }

    /// How a port is treated.
    ///
    /// @param subset empty for the whole service
    public TrafficPolicy policy(int port, String subset) {
        var policy = ofRule(port, subset);
        return retryBudget.map(policy::withRetryBudget).orElse(policy);
    }

    private TrafficPolicy ofRule(int port, String subset) {
        if (rule.isEmpty()) {
            return TrafficPolicy.NONE;
        }
        var whole = at(rule.get().policy(), rule.get().ports(), port);
        return subsets().stream()
                .filter(own -> own.name().equals(subset))
                .findFirst()
                .map(own -> at(whole.with(own.policy()), own.ports(), port))
                .orElse(whole);
    }

    private static TrafficPolicy at(TrafficPolicy policy, Map<Integer, TrafficPolicy> ports, int port) {
        var own = ports.get(port);
        return own == null ? policy : policy.atPort(own);
    }

    /// What routes have to let a cluster hash, if it does; see [HashPolicies].
    public Optional<ConsistentHash> hashing(int port, String subset) {
        return policy(port, subset).loadBalancer().flatMap(LoadBalancer::hash);
    }

    /// The policy for a port: one that names it wins over one for all ports, then the oldest.
    public Optional<BackendTls> backendTls(ServicePort port) {
        return tls.stream()
                .filter(own -> !own.port().isEmpty() && own.port().equals(port.name()))
                .findFirst()
                .or(() -> tls.stream().filter(own -> own.port().isEmpty()).findFirst());
    }
}
