// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.input;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.lang.Truth;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpBlock;
import io.fathom.wire.tls.TlsPolicy.KeyExchange;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/// The settings that stay as they are while the control plane runs. What MeshConfig says comes on top.
///
/// @param clusterId the cluster that manifests without another belong to
/// @param network of this cluster where the system namespace has no network label; may be empty
/// @param trustDomain where MeshConfig does not say
/// @param systemNamespace where the control plane runs
/// @param rootNamespace where MeshConfig does not say
/// @param domain the suffix of Kubernetes host names
/// @param revision empty to take Istio objects of every revision
/// @param ipv4Range where automatic addresses of ServiceEntries come from
public record AmbientConfig(
        String clusterId,
        String network,
        String trustDomain,
        String systemNamespace,
        String rootNamespace,
        String domain,
        String revision,
        Set<Feature> features,
        IpBlock ipv4Range,
        IpBlock ipv6Range) {

    public static final String DEFAULT_TRUST_DOMAIN = "cluster.local";

    public AmbientConfig {
        features = Set.copyOf(features);
        requireFamily(ipv4Range, Ip.Family.V4);
        requireFamily(ipv6Range, Ip.Family.V6);
    }

    /// Upstream's defaults.
    public static AmbientConfig defaults() {
        return of(Map.of());
    }

    /// From upstream's environment variables; what is absent or empty has upstream's default.
    public static AmbientConfig of(Map<String, String> environment) {
        var features = EnumSet.noneOf(Feature.class);
        for (var feature : Feature.values()) {
            if (isOn(feature, environment)) {
                features.add(feature);
            }
        }
        return new AmbientConfig(
                text(environment, "CLUSTER_ID", "Kubernetes"),
                text(environment, "NETWORK", ""),
                text(environment, "TRUST_DOMAIN", DEFAULT_TRUST_DOMAIN),
                text(environment, "POD_NAMESPACE", "istio-system"),
                text(environment, "POD_NAMESPACE", "istio-system"),
                text(environment, "DOMAIN_SUFFIX", "cluster.local"),
                text(environment, "REVISION", "default"),
                features,
                range(environment, "PILOT_IP_AUTOALLOCATE_IPV4_PREFIX", "240.240.0.0/16"),
                range(environment, "PILOT_IP_AUTOALLOCATE_IPV6_PREFIX", "2001:2::/48"));
    }

    public boolean has(Feature feature) {
        return features.contains(feature);
    }

    /// How TLS exchanges keys, of proxies as of the control plane.
    public KeyExchange keyExchange() {
        if (has(Feature.POST_QUANTUM_TLS)) {
            return KeyExchange.POST_QUANTUM;
        }
        return has(Feature.FIPS_TLS) ? KeyExchange.FIPS_140_2 : KeyExchange.ANY;
    }

    public AmbientConfig with(Feature feature) {
        var more = EnumSet.of(feature);
        more.addAll(features);
        return withFeatures(more);
    }

    public AmbientConfig without(Feature feature) {
        var fewer = EnumSet.noneOf(Feature.class);
        fewer.addAll(features);
        fewer.remove(feature);
        return withFeatures(fewer);
    }

    private AmbientConfig withFeatures(Set<Feature> chosen) {
        return new AmbientConfig(
                clusterId,
                network,
                trustDomain,
                systemNamespace,
                rootNamespace,
                domain,
                revision,
                chosen,
                ipv4Range,
                ipv6Range);
    }

    private static String text(Map<String, String> environment, String variable, String otherwise) {
        var value = environment.getOrDefault(variable, "");
        return value.isEmpty() ? otherwise : value;
    }

    private static boolean isOn(Feature feature, Map<String, String> environment) {
        var text = environment.getOrDefault(feature.variable(), "");
        if (text.isEmpty()) {
            return feature.onByDefault();
        }
        return Truth.parse(text)
                .orElseThrow(() -> new ProblemException(Problem.ofInput(
                        "setting-not-boolean",
                        feature.variable() + " is \"" + text + "\"",
                        "set it to true or false, or leave it out")));
    }

    private static IpBlock range(Map<String, String> environment, String variable, String otherwise) {
        var text = text(environment, variable, otherwise);
        return IpBlock.parse(text)
                .map(IpBlock::masked)
                .orElseThrow(() -> new ProblemException(Problem.ofInput(
                        "setting-not-a-range",
                        variable + " is \"" + text + "\"",
                        "write an address block such as " + otherwise)));
    }

    private static void requireFamily(IpBlock range, Ip.Family family) {
        if (range.address().family() != family) {
            throw new ProblemException(Problem.ofInput(
                    "setting-wrong-family",
                    "the range " + range + " for automatic addresses is not " + family,
                    "PILOT_IP_AUTOALLOCATE_IPV4_PREFIX takes an IPv4 block, the other one an IPv6 block"));
        }
    }
}
