// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import io.fathom.control.envoy.view.ProxyGroup;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.networking.DestinationRuleManifest;
import io.fathom.wire.kube.networking.DestinationRuleManifest.Subset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/// Which DestinationRules count for a service. Pure.
///
/// They are looked for in the namespace of the proxy, then of the service, then in the root namespace; the first
/// namespace with one decides. There, the most specific host wins, then rules that select the proxy by its labels. Of
/// several such rules the oldest says how the host is treated, and others add subsets.
final class RuleSelection {
    private static final Comparator<DestinationRuleManifest> OLDEST_FIRST =
            Comparator.comparing(Manifest::metadata, Metadata.OLDEST_FIRST);

    private final ProxyGroup client;
    private final String rootNamespace;
    private final String domain;

    RuleSelection(ProxyGroup client, String rootNamespace, String domain) {
        this.client = client;
        this.rootNamespace = rootNamespace;
        this.domain = domain;
    }

    /// The host that a rule is about: a name without dots means a service beside the rule.
    static String host(DestinationRuleManifest rule, String domain) {
        return rule.host().contains(".") || rule.host().startsWith("*")
                ? rule.host()
                : rule.host() + "." + rule.namespace() + ".svc." + domain;
    }

    static boolean isWildcard(String host) {
        return host.startsWith("*");
    }

    /// @param candidates rules for exactly this host, and all with wildcards
    Optional<ServiceTraffic.TrafficRule> select(
            String serviceNamespace, String hostname, List<DestinationRuleManifest> candidates) {
        var namespaces = new LinkedHashSet<>(List.of(client.namespace(), serviceNamespace, rootNamespace));
        for (var namespace : namespaces) {
            var found = most(hostname, candidates, rule -> rule.namespace().equals(namespace) && isFor(rule));
            if (!found.isEmpty()) {
                return Optional.of(merged(found));
            }
        }
        return Optional.empty();
    }

    private boolean isFor(DestinationRuleManifest rule) {
        return isExported(rule)
                && rule.workloadSelector()
                        .map(labels -> client.labels().entrySet().containsAll(labels.entrySet()))
                        .orElse(true);
    }

    private boolean isExported(DestinationRuleManifest rule) {
        return rule.exportTo().isEmpty()
                || rule.exportTo().stream()
                        .anyMatch(to -> to.equals("*")
                                || to.equals(client.namespace())
                                || (to.equals(".") && rule.namespace().equals(client.namespace())));
    }

    /// Those with the most specific host.
    private List<DestinationRuleManifest> most(
            String hostname, List<DestinationRuleManifest> candidates, Predicate<DestinationRuleManifest> allowed) {
        var best = -1;
        var found = new ArrayList<DestinationRuleManifest>();
        for (var rule : candidates) {
            var host = host(rule, domain);
            if (!covers(host, hostname) || !allowed.test(rule)) {
                continue;
            }
            var weight = isWildcard(host) ? host.length() : Integer.MAX_VALUE;
            if (weight > best) {
                best = weight;
                found.clear();
            }
            if (weight == best) {
                found.add(rule);
            }
        }
        var selecting = found.stream()
                .filter(rule -> rule.workloadSelector().isPresent())
                .toList();
        return selecting.isEmpty() ? found : selecting;
    }

    static boolean covers(String host, String hostname) {
        return isWildcard(host) ? hostname.endsWith(host.substring(1)) : host.equals(hostname);
    }

    private static ServiceTraffic.TrafficRule merged(List<DestinationRuleManifest> rules) {
        var oldestFirst = rules.stream().sorted(OLDEST_FIRST).toList();
        var subsets = new LinkedHashMap<String, Subset>();
        for (var rule : oldestFirst) {
            rule.subsets().forEach(subset -> subsets.putIfAbsent(subset.name(), subset));
        }
        var speaking = oldestFirst.stream()
                .filter(rule -> !rule.policy().equals(io.fathom.wire.kube.traffic.TrafficPolicy.NONE)
                        || !rule.ports().isEmpty())
                .findFirst()
                .orElse(oldestFirst.getFirst());
        return new ServiceTraffic.TrafficRule(
                speaking.key(),
                speaking.policy(),
                speaking.ports(),
                subsets.values().stream().toList());
    }
}
