// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.wire.kube.core.EndpointSliceManifest;
import io.fathom.wire.kube.core.EndpointSliceManifest.AddressType;
import io.fathom.wire.kube.core.EndpointSliceManifest.Endpoint;
import io.fathom.wire.kube.core.EndpointSliceManifest.SlicePort;
import io.fathom.wire.kube.core.EndpointSliceManifest.TargetRef;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.gateway.GatewayManifest.Address;
import io.fathom.wire.kube.gateway.GatewayManifest.AllowedRoutes;
import io.fathom.wire.kube.gateway.GatewayManifest.CertificateRef;
import io.fathom.wire.kube.gateway.GatewayManifest.Listener;
import io.fathom.wire.kube.gateway.GatewayManifest.RouteKind;
import io.fathom.wire.kube.gateway.GatewayManifest.Tls;
import io.fathom.wire.kube.manifest.LabelSelector;
import io.fathom.wire.kube.manifest.LabelSelector.Operator;
import io.fathom.wire.kube.manifest.LabelSelector.Requirement;
import io.fathom.wire.kube.manifest.Transport;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest;
import io.fathom.wire.kube.meshconfig.MeshTraffic;
import io.fathom.wire.kube.networking.EntryEndpoint;
import io.fathom.wire.kube.networking.ServiceEntryManifest;
import io.fathom.wire.kube.networking.ServiceEntryManifest.AssignedAddress;
import io.fathom.wire.kube.networking.ServiceEntryManifest.EntryPort;
import io.fathom.wire.kube.networking.ServiceEntryManifest.Resolution;
import io.fathom.wire.kube.networking.WorkloadEntryManifest;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Action;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Condition;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.PolicyTarget;
import io.fathom.wire.kube.security.PeerAuthenticationManifest;
import io.fathom.wire.kube.security.PeerAuthenticationManifest.Mode;
import io.fathom.wire.kube.traffic.TrafficPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class OtherReadersTest {
    @Test
    void givenEndpointSlice_thenEverythingIsRead() {
        var slice = Reads.one(EndpointSliceManifest.class, """
                apiVersion: discovery.k8s.io/v1
                kind: EndpointSlice
                metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}
                addressType: IPv4
                endpoints:
                - addresses: [10.0.0.1]
                - addresses: [10.0.0.2]
                  conditions: {ready: false}
                  targetRef: {kind: Pod, namespace: shop, name: a, uid: u}
                - addresses: [10.0.0.3]
                  conditions: {ready: null, serving: true}
                ports:
                - {name: http, port: 80}
                - {name: any, protocol: UDP, port: null}
                """);

        assertThat(slice.service()).isEqualTo("web");
        assertThat(slice.addressType()).isEqualTo(AddressType.IPV4);
        assertThat(slice.endpoints())
                .containsExactly(
                        new Endpoint(List.of("10.0.0.1"), true, Optional.empty()),
                        new Endpoint(List.of("10.0.0.2"), false, Optional.of(new TargetRef("Pod", "shop", "a", "u"))),
                        new Endpoint(List.of("10.0.0.3"), true, Optional.empty()));
        assertThat(slice.ports())
                .containsExactly(new SlicePort("http", 80, Transport.TCP), new SlicePort("any", 0, Transport.UDP));
    }

    @Test
    void givenGateway_thenEverythingIsRead() {
        var gateway = Reads.one(GatewayManifest.class, """
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: waypoint, namespace: shop}
                spec:
                  gatewayClassName: istio-waypoint
                  addresses: [{value: 10.0.0.9}]
                  listeners:
                  - {name: mesh, port: 15008, protocol: HBONE}
                  - name: tls
                    port: 443
                    protocol: TLS
                    hostname: "*.shop.example"
                    tls:
                      certificateRefs: [{name: own}, {group: "", kind: Secret, namespace: certs, name: other}]
                      options: {a.example/b: c}
                    allowedRoutes:
                      kinds: [{kind: TCPRoute}, {group: other.example, kind: TheirRoute}]
                      namespaces:
                        from: Selector
                        selector:
                          matchLabels: {a: b}
                          matchExpressions: [{key: c, operator: NotIn, values: [d]}, {key: e, operator: Exists}]
                status:
                  addresses:
                  - {type: Hostname, value: waypoint.shop}
                  - {value: 10.0.0.9}
                """);

        assertThat(gateway.className()).isEqualTo("istio-waypoint");
        assertThat(gateway.listeners())
                .containsExactly(
                        Listener.plain(
                                "mesh",
                                15008,
                                "HBONE",
                                new AllowedRoutes(AllowedRoutes.From.SAME, LabelSelector.EVERYTHING)),
                        new Listener(
                                "tls",
                                "*.shop.example",
                                443,
                                "TLS",
                                Optional.of(new Tls(
                                        "Terminate",
                                        List.of(
                                                new CertificateRef("", "Secret", "", "own"),
                                                new CertificateRef("", "Secret", "certs", "other")),
                                        Map.of("a.example/b", "c"))),
                                new AllowedRoutes(
                                        AllowedRoutes.From.SELECTOR,
                                        new LabelSelector(
                                                Map.of("a", "b"),
                                                List.of(
                                                        new Requirement("c", Operator.NOT_IN, List.of("d")),
                                                        new Requirement("e", Operator.EXISTS, List.of()))),
                                        List.of(
                                                RouteKind.of("TCPRoute"),
                                                new RouteKind("other.example", "TheirRoute")))));
        assertThat(gateway.specAddresses()).containsExactly(new Address("IPAddress", "10.0.0.9"));
        assertThat(gateway.statusAddresses())
                .containsExactly(new Address("Hostname", "waypoint.shop"), new Address("IPAddress", "10.0.0.9"));
    }

    @Test
    void givenServiceEntry_thenEverythingIsRead() {
        var entry = Reads.one(ServiceEntryManifest.class, """
                apiVersion: networking.istio.io/v1
                kind: ServiceEntry
                metadata: {name: ext}
                spec:
                  hosts: [a.example, "*.b.example"]
                  addresses: [10.0.0.0/8, not-an-address]
                  location: MESH_EXTERNAL
                  resolution: STATIC
                  subjectAltNames: [spiffe://x]
                  ports:
                  - {name: https, number: 443, protocol: TLS}
                  - {name: http, number: 80, targetPort: 8080}
                  endpoints:
                  - address: 1.2.3.4
                    ports: {https: 8443}
                    labels: {v: "1"}
                    network: net
                    locality: r/z
                    weight: 5
                    serviceAccount: sa
                  workloadSelector: {labels: {app: ext}}
                status:
                  addresses: [{value: 240.240.0.1, host: a.example}]
                """);

        assertThat(entry.hosts()).containsExactly("a.example", "*.b.example");
        assertThat(entry.addresses()).containsExactly("10.0.0.0/8", "not-an-address");
        assertThat(entry.resolution()).isEqualTo(Resolution.STATIC);
        assertThat(entry.ports())
                .containsExactly(new EntryPort("https", 443, "TLS", 0), new EntryPort("http", 80, "", 8080));
        assertThat(entry.endpoints())
                .containsExactly(
                        new EntryEndpoint("1.2.3.4", Map.of("https", 8443), Map.of("v", "1"), "net", "r/z", 5, "sa"));
        assertThat(entry.selector()).isEqualTo(Map.of("app", "ext"));
        assertThat(entry.subjectAltNames()).containsExactly("spiffe://x");
        assertThat(entry.assigned()).containsExactly(new AssignedAddress("240.240.0.1", "a.example"));
    }

    @Test
    void givenBareServiceEntryAndWorkloadEntry_thenDefaultsApply() {
        var service = Reads.one(ServiceEntryManifest.class, """
                {apiVersion: networking.istio.io/v1, kind: ServiceEntry, metadata: {name: a}, spec: {hosts: [x]}}
                """);
        var workload = Reads.one(WorkloadEntryManifest.class, """
                {apiVersion: networking.istio.io/v1, kind: WorkloadEntry, metadata: {name: a}}
                """);

        assertThat(service.resolution()).isEqualTo(Resolution.NONE);
        assertThat(service.selector()).isEmpty();
        assertThat(workload.endpoint()).isEqualTo(new EntryEndpoint("", Map.of(), Map.of(), "", "", 0, ""));
        assertThat(workload.healthy()).isTrue();
    }

    @Test
    void givenHealthOfWorkloadEntry_thenOnlyFalseCounts() {
        for (var status : List.of("True", "Unknown", "False")) {
            var workload = Reads.one(WorkloadEntryManifest.class, """
                    apiVersion: networking.istio.io/v1
                    kind: WorkloadEntry
                    metadata: {name: a}
                    status: {conditions: [{type: Other, status: 'False'}, {type: Healthy, status: '%s'}]}
                    """.formatted(status));

            assertThat(workload.healthy()).isEqualTo(!status.equals("False"));
        }
    }

    @Test
    void givenAuthorizationPolicy_thenEverythingIsRead() {
        var policy = Reads.one(AuthorizationPolicyManifest.class, """
                apiVersion: security.istio.io/v1
                kind: AuthorizationPolicy
                metadata: {name: a}
                spec:
                  action: CUSTOM
                  provider: {name: who}
                  targetRefs:
                  - {kind: Service, name: x}
                  - {group: gateway.networking.k8s.io, kind: Gateway, name: gw}
                  rules:
                  - from:
                    - source: {principals: [p], notNamespaces: [ns], ipBlocks: [10.0.0.0/8]}
                    - source: {notTrustDomains: [t], serviceAccounts: [s/a]}
                    to:
                    - operation: {ports: ["80", "0443"], notPaths: [/admin]}
                    when:
                    - {key: source.ip, values: [10.0.0.0/8], notValues: [10.1.0.0/16]}
                  - {}
                """);

        assertThat(policy.action()).isEqualTo(Action.CUSTOM);
        assertThat(policy.provider()).isEqualTo("who");
        assertThat(policy.selector()).isEmpty();
        assertThat(policy.targets())
                .containsExactly(
                        new PolicyTarget("", "Service", "x"),
                        new PolicyTarget("gateway.networking.k8s.io", "Gateway", "gw"));
        assertThat(policy.rules()).hasSize(2);
        var rule = policy.rules().getFirst();
        assertThat(rule.from().getFirst().principals().values()).containsExactly("p");
        assertThat(rule.from().getFirst().namespaces().notValues()).containsExactly("ns");
        assertThat(rule.from().getFirst().ipBlocks().values()).containsExactly("10.0.0.0/8");
        assertThat(rule.from().get(1).serviceAccounts().values()).containsExactly("s/a");
        assertThat(rule.from().get(1).trustDomains().notValues()).containsExactly("t");
        assertThat(rule.to().getFirst().ports().values()).containsExactly("80", "0443");
        assertThat(rule.to().getFirst().paths().notValues()).containsExactly("/admin");
        assertThat(rule.when())
                .containsExactly(new Condition("source.ip", List.of("10.0.0.0/8"), List.of("10.1.0.0/16")));
        assertThat(policy.rules().get(1).from()).isEmpty();
    }

    @Test
    void givenPolicyWithoutSpec_thenItAllowsNothing() {
        var policy = Reads.one(AuthorizationPolicyManifest.class, """
                {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: a}}
                """);

        assertThat(policy.action()).isEqualTo(Action.ALLOW);
        assertThat(policy.selector()).isEmpty();
        assertThat(policy.rules()).isEmpty();
    }

    @Test
    void givenPeerAuthentication_thenPortsAreSorted() {
        var policy = Reads.one(PeerAuthenticationManifest.class, """
                apiVersion: security.istio.io/v1
                kind: PeerAuthentication
                metadata: {name: a}
                spec:
                  selector: {matchLabels: {app: web}}
                  mtls: {mode: STRICT}
                  portLevelMtls:
                    9000: {mode: DISABLE}
                    "80": {}
                """);

        assertThat(policy.selector()).hasValue(Map.of("app", "web"));
        assertThat(policy.mode()).isEqualTo(Mode.STRICT);
        assertThat(policy.portModes()).hasToString("{80=UNSET, 9000=DISABLE}");
    }

    @Test
    void givenMeshConfig_thenItsTextIsRead() {
        var mesh = Reads.one(MeshConfigManifest.class, """
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: istio, namespace: istio-system}
                data:
                  meshNetworks: 'networks: {}'
                  mesh: |-
                    rootNamespace: root
                    trustDomain: td
                    trustDomainAliases: [old]
                    accessLogFile: /dev/stdout
                    protocolDetectionTimeout: 1.5s
                    connectTimeout: 3s
                    pathNormalization: {normalization: MERGE_SLASHES}
                    defaultHttpRetryPolicy: {attempts: 4, retryOn: 5xx}
                    localityLbSetting: {failoverPriority: [rack]}
                    tcpKeepalive: {probes: 3, time: 60s}
                    h2UpgradePolicy: UPGRADE
                    discoverySelectors:
                    - matchLabels: {a: b}
                    serviceScopeConfigs:
                    - servicesSelector: {matchLabels: {istio.io/global: "true"}}
                      scope: GLOBAL
                    serviceEntryVisibility:
                      defaultVisibility: NAMESPACE
                      policies:
                      - visibility: NONE
                        matchingRules:
                        - namespaceSelector: {matchLabels: {c: d}}
                        - somethingNew: {}
                      - visibility: VISIBILITY_UNSPECIFIED
                """);

        assertThat(mesh.rootNamespace()).isEqualTo("root");
        assertThat(mesh.trustDomain()).isEqualTo("td");
        assertThat(mesh.trustDomainAliases()).containsExactly("old");
        assertThat(mesh.traffic().protocolDetection()).hasValue(Duration.ofMillis(1500));
        assertThat(mesh.traffic().connectTimeout()).hasValue(Duration.ofSeconds(3));
        assertThat(mesh.traffic().paths()).isEqualTo(MeshTraffic.PathNormalization.MERGE_SLASHES);
        assertThat(mesh.traffic().retries())
                .hasValueSatisfying(retries -> assertThat(retries.attempts()).isEqualTo(4));
        assertThat(mesh.traffic().locality())
                .hasValueSatisfying(
                        setting -> assertThat(setting.failoverPriority()).containsExactly("rack"));
        assertThat(mesh.traffic().keepalive())
                .hasValue(new TrafficPolicy.Keepalive(
                        OptionalInt.of(3), Optional.of(Duration.ofMinutes(1)), Optional.empty()));
        assertThat(mesh.traffic().upgrade()).isEqualTo(TrafficPolicy.H2Upgrade.UPGRADE);
        assertThat(mesh.discoverySelectors()).containsExactly(new LabelSelector(Map.of("a", "b"), List.of()));
        assertThat(mesh.serviceScopes())
                .containsExactly(new MeshConfigManifest.ServiceScope(
                        LabelSelector.EVERYTHING,
                        new LabelSelector(Map.of("istio.io/global", "true"), List.of()),
                        MeshConfigManifest.ServiceScope.Scope.GLOBAL));
        var visibility = mesh.entryVisibility().orElseThrow();
        assertThat(visibility.fallback()).isEqualTo(MeshConfigManifest.EntryVisibility.Level.NAMESPACE);
        assertThat(visibility.policies().getFirst().namespaces())
                .containsExactly(new LabelSelector(Map.of("c", "d"), List.of()), LabelSelector.NOTHING);
        assertThat(visibility.policies().get(1).level()).isEqualTo(MeshConfigManifest.EntryVisibility.Level.PUBLIC);
        assertThat(LabelSelector.NOTHING.matches(Map.of("", ""))).isFalse();
    }

    @Test
    void givenMistakeInMeshConfig_thenItsOwnLineIsNamed() {
        var problem = Reads.problem("""
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: istio, namespace: istio-system}
                data:
                  mesh: |
                    rootNamespace: root
                    discoverySelectors:
                    - matchExpressions:
                      - {key: a, operator: Equals, values: [b]}
                """);

        assertThat(problem.line()).isEqualTo(9);
        assertThat(problem.field()).isEqualTo("data.mesh.discoverySelectors[0].matchExpressions[0].operator");
        assertThat(problem.object()).isEqualTo("ConfigMap istio-system/istio");
    }

    @Test
    void givenEmptyMeshConfig_thenNothingIsSet() {
        var mesh = Reads.one(MeshConfigManifest.class, """
                {apiVersion: v1, kind: ConfigMap, metadata: {name: istio, namespace: istio-system}, data: {mesh: ""}}
                """);

        assertThat(mesh.rootNamespace()).isEmpty();
        assertThat(mesh.entryVisibility()).isEmpty();
    }

    @Test
    void givenNamedRevision_thenItsOwnConfigMapCounts() {
        var config = ReaderConfig.of("c1", "canary", "istio-system");
        var readings = Reads.all(config, """
                {apiVersion: v1, kind: ConfigMap, metadata: {name: istio, namespace: istio-system}, data: {mesh: ""}}
                ---
                {apiVersion: v1, kind: ConfigMap, metadata: {name: istio-canary, namespace: istio-system}, data: {mesh: ""}}
                """);

        assertThat(readings.get(0)).isInstanceOf(Reading.Skipped.class);
        assertThat(readings.get(1)).isInstanceOf(Reading.Good.class);
    }
}
