// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Source;
import io.fathom.base.flow.Table;
import io.fathom.base.flow.Update;
import io.fathom.base.lang.Problem;
import io.fathom.control.Ids;
import io.fathom.control.envoy.policy.PolicySettings.CustomProviders;
import io.fathom.control.envoy.view.ClusterName;
import io.fathom.control.envoy.view.Destinations;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.envoy.view.ProxyGroup;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.model.mesh.AppProtocol;
import io.fathom.model.mesh.LoadBalancing;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.ServiceWaypoints;
import io.fathom.wire.kube.ManifestReader;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.Reading;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest;
import io.fathom.wire.kube.security.RequestAuthenticationManifest;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Limits;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Policies from YAML in a flow, and what they become for a service behind a waypoint or for an ingress gateway. Every
/// namespace has a service `app`; its waypoint is `waypoint` in namespace `infra`.
public final class PolicyWorld implements Destinations {
    static final String ROOT = "istio-system";
    static final String AUTHZ_HOST = "authz.infra.svc.cluster.local";

    final Flow flow = new Flow((table, key, bug) -> {
        throw new AssertionError(table + " " + key, bug);
    });

    /// How often filters were made, by place.
    final Map<String, Integer> made = new HashMap<>();

    private final Source<ObjectKey, AuthorizationPolicyManifest> authorizations = flow.source("authorizations");
    private final Source<ObjectKey, RequestAuthenticationManifest> authentications = flow.source("authentications");
    private final Source<ObjectKey, GatewayManifest> gateways = flow.source("gateways");
    private final Source<String, PolicySettings> settings = flow.source("settings");
    private final Source<String, Place> places = flow.source("places");
    private final Source<String, Place> tcpPlaces = flow.source("tcp-places");
    final EnvoyPolicies policies = new EnvoyPolicies(
            flow,
            new EnvoyPolicies.PolicyInputs(
                    authorizations,
                    authentications,
                    gateways,
                    fetch -> fetch.one(settings, "").orElseThrow()));
    private final Table<String, HttpPolicy> http = flow.derive("http", places, (fetch, place) -> {
        made.merge(place.name(), 1, Integer::sum);
        return Optional.of(policies.http(fetch, place.group(), place.service(), this));
    });
    private final Table<String, TcpPolicy> tcp = flow.derive(
            "tcp", tcpPlaces, (fetch, place) -> Optional.of(policies.tcp(fetch, place.group(), place.service(), this)));

    private record Place(String name, ProxyGroup group, Optional<MeshService> service) {}

    PolicyWorld(CustomProviders several, String meshConfig, String... manifests) {
        var mesh = meshConfig.isEmpty()
                ? Optional.<MeshConfigManifest>empty()
                : read("""
                        apiVersion: v1
                        kind: ConfigMap
                        metadata: {name: istio, namespace: istio-system}
                        data:
                          mesh: |
                        """ + meshConfig.indent(4)).stream()
                        .map(MeshConfigManifest.class::cast)
                        .findFirst();
        var own = new PolicySettings(
                ROOT,
                mesh.map(MeshConfigManifest::trustDomain)
                        .filter(name -> !name.isEmpty())
                        .orElse("cluster.local"),
                mesh.map(MeshConfigManifest::trustDomainAliases).orElse(List.of()),
                mesh.map(MeshConfigManifest::extensionProviders).orElse(List.of()),
                several);
        flow.update(update -> update.put(settings, "", own));
        apply(manifests);
    }

    /// One with a provider of that name that can be asked.
    public static PolicyWorld asking(String provider) {
        return new PolicyWorld(CustomProviders.SEVERAL, """
                extensionProviders:
                - name: %s
                  envoyExtAuthzGrpc: {service: grpc.%s, port: 9001}
                """.formatted(provider, AUTHZ_HOST));
    }

    static PolicyWorld of(String... manifests) {
        return new PolicyWorld(CustomProviders.ONE, "", manifests);
    }

    void apply(String... manifests) {
        flow.update(update -> {
            for (var manifest : manifests) {
                for (var object : read(manifest)) {
                    switch (object) {
                        case AuthorizationPolicyManifest policy -> update.put(authorizations, policy.key(), policy);
                        case RequestAuthenticationManifest policy -> update.put(authentications, policy.key(), policy);
                        case GatewayManifest gateway -> update.put(gateways, gateway.key(), gateway);
                        default -> throw new IllegalArgumentException(object.toString());
                    }
                }
            }
        });
    }

    /// These are the policies from now on; those of other kinds are left out.
    public void become(List<? extends Manifest> manifests) {
        flow.update(update -> {
            var before = flow.cut();
            var keys = manifests.stream().map(Manifest::key).collect(java.util.stream.Collectors.toSet());
            before.of(authorizations).forEach((key, _) -> {
                if (!keys.contains(key)) {
                    update.remove(authorizations, key);
                }
            });
            before.of(authentications).forEach((key, _) -> {
                if (!keys.contains(key)) {
                    update.remove(authentications, key);
                }
            });
            manifests.forEach(manifest -> put(update, manifest));
        });
    }

    /// Instead of the one of that name.
    public void replace(Manifest manifest) {
        flow.update(update -> put(update, manifest));
    }

    private void put(Update update, Manifest manifest) {
        switch (manifest) {
            case AuthorizationPolicyManifest policy -> update.put(authorizations, policy.key(), policy);
            case RequestAuthenticationManifest policy -> update.put(authentications, policy.key(), policy);
            default -> {}
        }
    }

    void removeAuthentication(String namespace, String name) {
        flow.update(update -> update.remove(authentications, new ObjectKey("c1", namespace, name)));
    }

    private static List<Manifest> read(String yaml) {
        var reader =
                new ManifestReader(ReaderConfig.of("c1", "", "istio-system").ofApiServer());
        var found = new ArrayList<Manifest>();
        for (var document : Documents.ofYaml("test.yaml", yaml, Limits.DEFAULT)) {
            var root = ((Document.Parsed) document).root();
            for (var reading : reader.read(root, _ -> Instant.EPOCH)) {
                switch (reading) {
                    case Reading.Good good -> found.add(good.manifest());
                    default -> throw new IllegalArgumentException(reading.toString());
                }
            }
        }
        return found;
    }

    /// Behind the waypoint, service `app` of that namespace.
    public HttpPolicy waypoint(String namespace) {
        add(places, waypointPlace(namespace));
        return http(namespace);
    }

    TcpPolicy waypointTcp(String namespace) {
        add(tcpPlaces, waypointPlace(namespace));
        return tcp(namespace);
    }

    /// An ingress gateway `edge` of that namespace.
    public HttpPolicy ingress(String namespace) {
        add(places, ingressPlace(namespace));
        return http("ingress " + namespace);
    }

    TcpPolicy ingressTcp(String namespace) {
        add(tcpPlaces, ingressPlace(namespace));
        return tcp("ingress " + namespace);
    }

    private static Place ingressPlace(String namespace) {
        var group = new ProxyGroup(
                ProxyRole.INGRESS,
                new ObjectKey("c1", namespace, "edge"),
                Map.of("gateway.networking.k8s.io/gateway-name", "edge", "app", "edge"),
                "");
        return new Place("ingress " + namespace, group, Optional.empty());
    }

    HttpPolicy http(String place) {
        return Optional.ofNullable(flow.cut().of(http).get(place)).orElseThrow();
    }

    private TcpPolicy tcp(String place) {
        return Optional.ofNullable(flow.cut().of(tcp).get(place)).orElseThrow();
    }

    Optional<Problem> problem(String object) {
        return Ids.problem(flow.cut(), policies.problems(), Ids.of("c1", object));
    }

    private void add(Source<String, Place> where, Place place) {
        if (flow.cut().of(where).find(place.name()).isEmpty()) {
            flow.update(update -> update.put(where, place.name(), place));
        }
    }

    private static Place waypointPlace(String namespace) {
        var group = new ProxyGroup(ProxyRole.WAYPOINT, new ObjectKey("c1", "infra", "waypoint"), Map.of(), "");
        return new Place(
                namespace,
                group,
                Optional.of(service("app", namespace, "app." + namespace + ".svc.cluster.local", 8080)));
    }

    private static MeshService service(String name, String namespace, String host, int port) {
        return new MeshService(
                new Service(
                        name,
                        namespace,
                        host,
                        List.of(),
                        List.of(),
                        List.of(),
                        ServiceWaypoints.NONE,
                        LoadBalancing.NONE,
                        Service.IpFamilies.AUTOMATIC,
                        Service.Canonical.YES,
                        Service.Visibility.PUBLIC),
                new Metadata(
                        new ObjectKey("c1", namespace, name),
                        "",
                        Map.of(),
                        Map.of(),
                        Instant.EPOCH,
                        Metadata.Lifecycle.ACTIVE),
                MeshService.Origin.SERVICE,
                List.of(new MeshService.ServicePort(port, "", AppProtocol.UNKNOWN)),
                MeshService.Resolution.ENDPOINTS);
    }

    @Override
    public Optional<MeshService> service(ObjectKey object) {
        return Optional.empty();
    }

    @Override
    public Optional<MeshService> host(String namespace, String hostname) {
        return switch (hostname) {
            case AUTHZ_HOST, "down." + AUTHZ_HOST -> Optional.of(service("authz", "infra", hostname, 9000));
            case "grpc." + AUTHZ_HOST -> Optional.of(service("grpc-authz", "infra", hostname, 9001));
            default -> Optional.empty();
        };
    }

    @Override
    public ClusterName cluster(MeshService service, int port, ClusterName.ClusterLayer layer, String subset) {
        throw new UnsupportedOperationException("policies call others, never their own service");
    }
}
