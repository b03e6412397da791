// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.networking;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.wire.kube.Reading;
import io.fathom.wire.kube.Reads;
import io.fathom.wire.kube.core.CaBundleManifest;
import io.fathom.wire.kube.gateway.BackendPolicyManifest.Target;
import io.fathom.wire.kube.gateway.BackendTlsPolicyManifest;
import io.fathom.wire.kube.gateway.BackendTlsPolicyManifest.AltName;
import io.fathom.wire.kube.gateway.BackendTlsPolicyManifest.AuthorityRef;
import io.fathom.wire.kube.gateway.BackendTrafficPolicyManifest;
import io.fathom.wire.kube.traffic.TrafficPolicy.ClientProtocol;
import io.fathom.wire.kube.traffic.TrafficPolicy.ClientTls;
import io.fathom.wire.kube.traffic.TrafficPolicy.ConsistentHash;
import io.fathom.wire.kube.traffic.TrafficPolicy.ConsistentHash.HashTable;
import io.fathom.wire.kube.traffic.TrafficPolicy.Distribution;
import io.fathom.wire.kube.traffic.TrafficPolicy.Failover;
import io.fathom.wire.kube.traffic.TrafficPolicy.H2Upgrade;
import io.fathom.wire.kube.traffic.TrafficPolicy.HashKey;
import io.fathom.wire.kube.traffic.TrafficPolicy.Http2Keepalive;
import io.fathom.wire.kube.traffic.TrafficPolicy.HttpPool;
import io.fathom.wire.kube.traffic.TrafficPolicy.Keepalive;
import io.fathom.wire.kube.traffic.TrafficPolicy.LocalityBalancing;
import io.fathom.wire.kube.traffic.TrafficPolicy.OutlierDetection;
import io.fathom.wire.kube.traffic.TrafficPolicy.ProxyProtocol;
import io.fathom.wire.kube.traffic.TrafficPolicy.RetryBudget;
import io.fathom.wire.kube.traffic.TrafficPolicy.Simple;
import io.fathom.wire.kube.traffic.TrafficPolicy.TcpPool;
import io.fathom.wire.kube.traffic.TrafficPolicy.Warmup;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class TrafficReadersTest {
    @Test
    void givenDestinationRule_thenEverythingIsRead() {
        var rule = Reads.one(DestinationRuleManifest.class, """
                apiVersion: networking.istio.io/v1
                kind: DestinationRule
                metadata: {name: web, namespace: shop}
                spec:
                  host: web
                  exportTo: [., other]
                  workloadSelector: {matchLabels: {app: gw}}
                  trafficPolicy:
                    connectionPool:
                      tcp:
                        maxConnections: 10
                        connectTimeout: 30ms
                        idleTimeout: 1h30m
                        maxConnectionDuration: 1.5s
                        tcpKeepalive: {probes: 3, time: 7200s, interval: 75s}
                      http:
                        http1MaxPendingRequests: 1
                        http2MaxRequests: 2
                        maxRequestsPerConnection: 3
                        maxRetries: 4
                        maxConcurrentStreams: 5
                        idleTimeout: 15s
                        h2UpgradePolicy: UPGRADE
                        useClientProtocol: true
                        http2KeepAlive: {interval: 10s, timeout: 5s}
                    outlierDetection:
                      consecutive5xxErrors: 7
                      consecutiveGatewayErrors: 0
                      splitExternalLocalOriginErrors: true
                      consecutiveLocalOriginFailures: 2
                      interval: 5m
                      baseEjectionTime: 15m
                      maxEjectionPercent: 50
                      minHealthPercent: 30
                    tls: {mode: MUTUAL, clientCertificate: /c, privateKey: /k, caCertificates: /ca, sni: s, subjectAltNames: [a]}
                    proxyProtocol: {version: V2}
                    retryBudget: {percent: 12.5, minRetryConcurrency: 1, budgetInterval: 5s}
                    loadBalancer:
                      simple: LEAST_CONN
                      warmup: {duration: 30s, minimumPercent: 5.0, aggression: 2}
                      localityLbSetting:
                        distribute: [{from: r/z/*, to: {"r/z/*": 80, "r/y/*": 20}}]
                        failover: [{from: a, to: b}]
                        failoverPriority: [topology.kubernetes.io/zone]
                    portLevelSettings:
                    - {port: {number: 80}, loadBalancer: {simple: RANDOM}}
                  subsets:
                  - {name: v1, labels: {version: v1}, trafficPolicy: {tls: {mode: DISABLE}, portLevelSettings: [{port: {number: 81}, tls: {mode: SIMPLE, insecureSkipVerify: true}}]}}
                """);

        assertThat(rule.host()).isEqualTo("web");
        assertThat(rule.exportTo()).containsExactly(".", "other");
        assertThat(rule.workloadSelector()).hasValue(Map.of("app", "gw"));
        var pool = rule.policy().connectionPool().orElseThrow();
        assertThat(pool.tcp())
                .isEqualTo(new TcpPool(
                        OptionalInt.of(10),
                        Optional.of(Duration.ofMillis(30)),
                        Optional.of(Duration.ofMinutes(90)),
                        Optional.of(Duration.ofMillis(1500)),
                        Optional.of(new Keepalive(
                                OptionalInt.of(3),
                                Optional.of(Duration.ofHours(2)),
                                Optional.of(Duration.ofSeconds(75))))));
        assertThat(pool.http())
                .isEqualTo(new HttpPool(
                        OptionalInt.of(1),
                        OptionalInt.of(2),
                        OptionalInt.of(3),
                        OptionalInt.of(4),
                        OptionalInt.of(5),
                        Optional.of(Duration.ofSeconds(15)),
                        H2Upgrade.UPGRADE,
                        ClientProtocol.USED,
                        Optional.of(new Http2Keepalive(
                                Optional.of(Duration.ofSeconds(10)), Optional.of(Duration.ofSeconds(5))))));
        assertThat(rule.policy().outlierDetection())
                .hasValue(new OutlierDetection(
                        OptionalInt.of(7),
                        OptionalInt.of(0),
                        OptionalInt.of(2),
                        OutlierDetection.LocalErrors.APART,
                        Optional.of(Duration.ofMinutes(5)),
                        Optional.of(Duration.ofMinutes(15)),
                        OptionalInt.of(50),
                        OptionalInt.of(30)));
        assertThat(rule.policy().tls())
                .hasValue(new ClientTls(
                        ClientTls.Mode.MUTUAL,
                        "/c",
                        "/k",
                        "/ca",
                        "",
                        List.of("a"),
                        "s",
                        ClientTls.Verification.REQUIRED));
        assertThat(rule.policy().proxyProtocol()).hasValue(ProxyProtocol.V2);
        assertThat(rule.policy().retryBudget())
                .hasValue(new RetryBudget(
                        OptionalDouble.of(12.5), OptionalInt.of(1), Optional.of(Duration.ofSeconds(5))));
        var balancer = rule.policy().loadBalancer().orElseThrow();
        assertThat(balancer.simple()).hasValue(Simple.LEAST_REQUEST);
        assertThat(balancer.warmup())
                .hasValue(new Warmup(Duration.ofSeconds(30), OptionalDouble.of(5), OptionalDouble.of(2)));
        assertThat(balancer.locality())
                .hasValue(new LocalityBalancing(
                        LocalityBalancing.Switch.ON,
                        List.of(new Distribution("r/z/*", Map.of("r/z/*", 80, "r/y/*", 20))),
                        List.of(new Failover("a", "b")),
                        List.of("topology.kubernetes.io/zone")));
        assertThat(rule.ports()).containsOnlyKeys(80);
        assertThat(requireNonNull(rule.ports().get(80))
                        .loadBalancer()
                        .orElseThrow()
                        .simple())
                .hasValue(Simple.RANDOM);
        var subset = rule.subsets().getFirst();
        assertThat(subset.labels()).isEqualTo(Map.of("version", "v1"));
        assertThat(subset.policy().tls().orElseThrow().mode()).isEqualTo(ClientTls.Mode.DISABLE);
        assertThat(requireNonNull(subset.ports().get(81)).tls().orElseThrow().verification())
                .isEqualTo(ClientTls.Verification.SKIPPED);
    }

    static Stream<Arguments> hashes() {
        return Stream.of(
                Arguments.of("{httpHeaderName: x-user}", new HashKey.Header("x-user"), new HashTable.Ring(0)),
                Arguments.of(
                        "{httpQueryParameterName: q, minimumRingSize: 7}",
                        new HashKey.QueryParameter("q"),
                        new HashTable.Ring(7)),
                Arguments.of(
                        "{useSourceIp: true, ringHash: {minimumRingSize: 9}}",
                        new HashKey.SourceIp(),
                        new HashTable.Ring(9)),
                Arguments.of(
                        "{httpCookie: {name: c, path: /p, ttl: 0s}, maglev: {tableSize: 101}}",
                        new HashKey.Cookie("c", "/p", Optional.of(Duration.ZERO), Map.of()),
                        new HashTable.Maglev(101)),
                Arguments.of(
                        "{httpCookie: {name: c, attributes: [{name: SameSite, value: Strict}]}}",
                        new HashKey.Cookie("c", "", Optional.empty(), Map.of("SameSite", "Strict")),
                        new HashTable.Ring(0)));
    }

    @ParameterizedTest
    @MethodSource("hashes")
    void givenConsistentHash_thenKeyAndTableAreRead(String yaml, HashKey key, HashTable table) {
        var rule = Reads.one(DestinationRuleManifest.class, """
                apiVersion: networking.istio.io/v1
                kind: DestinationRule
                metadata: {name: web}
                spec: {host: web, trafficPolicy: {loadBalancer: {consistentHash: %s}}}
                """.formatted(yaml));

        assertThat(rule.policy().loadBalancer().orElseThrow().hash()).hasValue(new ConsistentHash(key, table));
    }

    static Stream<Arguments> mistakes() {
        return Stream.of(
                Arguments.of("{}", "spec.host"),
                Arguments.of("{host: a, trafficPolicy: {tls: {mode: MUTUAL}}}", "spec.trafficPolicy.tls"),
                Arguments.of("{host: a, trafficPolicy: {tls: {mode: simple}}}", "spec.trafficPolicy.tls.mode"),
                Arguments.of("{host: a, subsets: [{name: b}, {name: b}]}", "spec.subsets[1].name"),
                Arguments.of(
                        "{host: a, trafficPolicy: {connectionPool: {tcp: {connectTimeout: soon}}}}",
                        "spec.trafficPolicy.connectionPool.tcp.connectTimeout"),
                Arguments.of(
                        "{host: a, trafficPolicy: {retryBudget: {percent: 101}}}",
                        "spec.trafficPolicy.retryBudget.percent"),
                Arguments.of(
                        "{host: a, trafficPolicy: {loadBalancer: {consistentHash: {maglev: {}}}}}",
                        "spec.trafficPolicy.loadBalancer.consistentHash"),
                Arguments.of(
                        "{host: a, trafficPolicy: {loadBalancer: {consistentHash: {useSourceIp: true, maglev: {tableSize: 100}}}}}",
                        "spec.trafficPolicy.loadBalancer.consistentHash.maglev.tableSize"),
                Arguments.of(
                        "{host: a, trafficPolicy: {loadBalancer: {localityLbSetting: {distribute: [{from: r, to: {r: 50}}]}}}}",
                        "spec.trafficPolicy.loadBalancer.localityLbSetting.distribute[0].to"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void givenAMistake_thenItsFieldIsNamed(String spec, String field) {
        var problem = Reads.problem("""
                apiVersion: networking.istio.io/v1
                kind: DestinationRule
                metadata: {name: web}
                spec: %s
                """.formatted(spec));

        assertThat(problem.toString()).contains(field);
    }

    @Test
    void givenBackendTlsPolicyInEitherVersion_thenEverythingIsRead() {
        for (var version : List.of("v1", "v1alpha3")) {
            var policy = Reads.one(BackendTlsPolicyManifest.class, """
                    apiVersion: gateway.networking.k8s.io/%s
                    kind: BackendTLSPolicy
                    metadata: {name: web, namespace: shop}
                    spec:
                      targetRefs: [{group: "", kind: Service, name: web, sectionName: https}]
                      validation:
                        hostname: web.example
                        caCertificateRefs: [{group: "", kind: ConfigMap, name: ca}]
                        subjectAltNames: [{type: Hostname, hostname: a.example}, {type: URI, uri: "spiffe://b"}]
                      options: {a.example/b: c}
                    """.formatted(version));

            assertThat(policy.targets()).containsExactly(new Target("", "Service", "web", "https"));
            assertThat(policy.hostname()).isEqualTo("web.example");
            assertThat(policy.authorities()).containsExactly(new AuthorityRef("", "ConfigMap", "ca"));
            assertThat(policy.subjectAltNames())
                    .containsExactly(
                            new AltName(AltName.Type.HOSTNAME, "a.example"),
                            new AltName(AltName.Type.URI, "spiffe://b"));
            assertThat(policy.options()).containsEntry("a.example/b", "c");
        }
    }

    @Test
    void givenBackendTrafficPolicies_thenTheirRetryBudgetIsReadWithDefaults() {
        var whole = budget("{budget: {percent: 35, interval: 20s}, minRetryRate: {count: 3, interval: 5s}}");
        var plain = budget("{}");

        assertThat(whole.targets()).containsExactly(new Target("", "Service", "web", ""));
        assertThat(whole.retryBudget())
                .hasValue(
                        new RetryBudget(OptionalDouble.of(35), OptionalInt.of(3), Optional.of(Duration.ofSeconds(20))));
        assertThat(whole.ignored()).containsExactly("spec.retryConstraint.minRetryRate.interval");
        assertThat(plain.retryBudget())
                .hasValue(new RetryBudget(
                        OptionalDouble.of(20), OptionalInt.of(10), Optional.of(Duration.ofSeconds(10))));
        assertThat(plain.ignored()).isEmpty();
    }

    private static BackendTrafficPolicyManifest budget(String constraint) {
        return Reads.one(BackendTrafficPolicyManifest.class, """
                apiVersion: gateway.networking.x-k8s.io/v1alpha1
                kind: XBackendTrafficPolicy
                metadata: {name: web, namespace: shop}
                spec:
                  targetRefs: [{group: "", kind: Service, name: web}]
                  retryConstraint: %s
                """.formatted(constraint));
    }

    @Test
    void givenConfigMaps_thenOnlyThoseWithCertificatesAreRead() {
        var bundle = Reads.one(CaBundleManifest.class, """
                {apiVersion: v1, kind: ConfigMap, metadata: {name: ca, namespace: shop}, data: {ca.crt: text}}
                """);
        var other = Reads.all(Reads.CONFIG, """
                {apiVersion: v1, kind: ConfigMap, metadata: {name: other, namespace: shop}, data: {a: b}}
                """);

        assertThat(bundle.pem()).isEqualTo("text");
        assertThat(bundle.key().path()).isEqualTo("shop/ca");
        assertThat(other).singleElement().isInstanceOf(Reading.Skipped.class);
    }
}
