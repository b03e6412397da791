// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import io.envoyproxy.envoy.config.route.v3.RouteAction.HashPolicy;
import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Index;
import io.fathom.control.ambient.MeshFlow;
import io.fathom.control.ambient.input.Feature;
import io.fathom.control.envoy.cluster.HashPolicies;
import io.fathom.control.envoy.cluster.ServiceTraffic;
import io.fathom.control.envoy.cluster.TrafficRules;
import io.fathom.control.envoy.policy.EnvoyPolicies;
import io.fathom.control.envoy.policy.PolicySettings;
import io.fathom.control.envoy.policy.PolicySettings.CustomProviders;
import io.fathom.control.envoy.route.RouteContext;
import io.fathom.control.envoy.view.Destinations;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.envoy.view.MeshService.ServicePort;
import io.fathom.control.envoy.view.ProxyGroup;
import io.fathom.control.gateway.RouteAttachPoint;
import io.fathom.control.gateway.RouteVerdict;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.core.CaBundleManifest;
import io.fathom.wire.kube.gateway.BackendTlsPolicyManifest;
import io.fathom.wire.kube.gateway.BackendTrafficPolicyManifest;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.gateway.RouteManifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.networking.DestinationRuleManifest;
import io.fathom.wire.kube.networking.VirtualServiceManifest;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest;
import io.fathom.wire.kube.security.RequestAuthenticationManifest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// What users wrote about services: routes, traffic rules and policies, found from the service without a scan.
///
/// Everything is asked for in a derivation, which is made again when an answer may have changed.
final class Rulebook {
    /// Where VirtualServices are filed that may be about any host.
    private static final String ANY_HOST = "*";
    /// Where those are that others delegate to.
    private static final String NO_HOST = "";

    private final MeshFlow mesh;
    private final TrafficRules traffic;
    private final EnvoyPolicies policies;
    private final UserParts users;
    private final Index<RouteAttachPoint, ManifestId, RouteVerdict> routes;
    private final Index<String, ObjectKey, VirtualServiceManifest> virtualServices;

    Rulebook(MeshFlow mesh, Groups groups) {
        this.mesh = mesh;
        users = new UserParts(mesh, groups);
        var flow = mesh.flow();
        traffic = new TrafficRules(
                flow,
                new TrafficRules.TrafficInputs(
                        mesh.manifests(DestinationRuleManifest.class),
                        mesh.manifests(BackendTlsPolicyManifest.class),
                        mesh.manifests(BackendTrafficPolicyManifest.class),
                        mesh.manifests(CaBundleManifest.class)),
                mesh.config().domain());
        policies = new EnvoyPolicies(
                flow,
                new EnvoyPolicies.PolicyInputs(
                        mesh.manifests(AuthorizationPolicyManifest.class),
                        mesh.manifests(RequestAuthenticationManifest.class),
                        mesh.manifests(GatewayManifest.class),
                        this::policySettings));
        routes = mesh.verdicts().byPlace();
        virtualServices =
                flow.index("envoy/virtual-services-by-host", mesh.manifests(VirtualServiceManifest.class), this::hosts);
    }

    /// DestinationRules and policies of backends.
    TrafficRules trafficRules() {
        return traffic;
    }

    EnvoyPolicies policies() {
        return policies;
    }

    /// Telemetry, extensions and patches.
    UserParts users() {
        return users;
    }

    /// How a service is to be treated as a destination.
    ServiceTraffic traffic(Fetch<?> fetch, ProxyGroup group, MeshService service) {
        return traffic.of(fetch, group, mesh.settings(fetch).rootNamespace(), service);
    }

    /// What routes of a waypoint refer to.
    RouteContext inMesh(Fetch<?> fetch, ProxyGroup group, Destinations destinations) {
        return RouteContext.inMesh(
                        destinations, (service, port, subset) -> hashes(traffic(fetch, group, service), port, subset))
                .withRetries(mesh.settings(fetch).traffic().retries());
    }

    private static List<HashPolicy> hashes(ServiceTraffic traffic, int port, String subset) {
        return traffic.hashing(port, subset).map(HashPolicies::of).stream().toList();
    }

    /// Routes of the Gateway API that a group follows for a port of a service, oldest first.
    List<RouteManifest> routes(Fetch<?> fetch, ObjectKey group, MeshService service, ServicePort port) {
        return fetch
                .all(
                        routes,
                        new RouteAttachPoint.AtService(group, service.service().key(), port.number()))
                .stream()
                .map(RouteVerdict::route)
                .sorted(Comparator.comparing(RouteManifest::metadata, Metadata.OLDEST_FIRST))
                .toList();
    }

    /// VirtualServices that may be about a service, oldest first, with those that they delegate to.
    List<VirtualServiceManifest> virtualServices(Fetch<?> fetch, MeshService service) {
        var found = new ArrayList<>(fetch.all(virtualServices, service.hostname()));
        found.addAll(fetch.all(virtualServices, ANY_HOST));
        if (!found.isEmpty()) {
            found.addAll(fetch.all(virtualServices, NO_HOST));
        }
        return found.stream()
                .distinct()
                .sorted(Comparator.comparing(VirtualServiceManifest::metadata, Metadata.OLDEST_FIRST))
                .toList();
    }

    private Set<String> hosts(VirtualServiceManifest rules) {
        var result = new HashSet<String>();
        for (var host : rules.hosts()) {
            if (host.startsWith("*")) {
                result.add(ANY_HOST);
            } else {
                result.add(host);
                if (!host.contains(".")) {
                    result.add(host + "." + rules.namespace() + ".svc."
                            + mesh.config().domain());
                }
            }
        }
        return result.isEmpty() ? Set.of(NO_HOST) : result;
    }

    private PolicySettings policySettings(Fetch<?> fetch) {
        var settings = mesh.settings(fetch);
        return new PolicySettings(
                settings.rootNamespace(),
                settings.trustDomain(),
                settings.trustDomainAliases(),
                settings.extensionProviders(),
                mesh.config().has(Feature.SEVERAL_CUSTOM_PROVIDERS) ? CustomProviders.SEVERAL : CustomProviders.ONE);
    }
}
