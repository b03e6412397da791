package io.fathom.control.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fathom.base.lang.ProblemException;
import io.fathom.control.deploy.Certificates.Referrer;
import io.fathom.control.deploy.Certificates.Verdict;
import io.fathom.control.deploy.GatewayWorld.ClassDefaults;
import io.fathom.wire.kube.GatewayManifest.CertificateRef;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.RootCertificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GatewayWorldTest {
    private static final Target GATEWAY = new Target("shop", "gw");
    private static final String CA = Pem.encode(
            RootCertificate.create(KeyAlgorithm.P256.generate(), "clients", Instant.EPOCH, Duration.ofDays(1)));

    /// Revision `default` has the tag `stable`.
    private final GatewayWorld world = new GatewayWorld(
            Scene.SETTINGS,
            label -> label.filter(name -> !List.of("default", "stable").contains(name))
                    .isEmpty());

    @ParameterizedTest
    @CsvSource(nullValues = "-", textBlock = """
            -,       -,       true
            default, -,       true
            other,   -,       false
            -,       other,   false
            -,       default, true
            default, other,   true
            stable,  -,       true
            old,     -,       false
            """)
    void givenRevisionLabels_thenOursOrNot(String own, String namespaces, boolean ours) {
        world.putNamespace("shop", Optional.of(namespaces == null ? Map.of() : Map.of("istio.io/rev", namespaces)));

        assertThat(world.isOurs(gateway(own == null ? "{}" : "{istio.io/rev: " + own + "}", "{}")))
                .isEqualTo(ours);
    }

    @Test
    void givenSeveralDefaults_thenTheOldestCountsAndTheGatewaysOwnComesLast() {
        var gateway = gateway("{}", "{parametersRef: {group: \"\", kind: ConfigMap, name: own}}");
        world.put(GATEWAY, Optional.of(gateway));
        world.putDefaults("young", defaults("2026-01-02T00:00:00Z"));
        world.putDefaults("old", defaults("2026-01-01T00:00:00Z"));
        world.putDefaults(
                "older-of-another-class", Optional.of(new ClassDefaults("istio", "2025-01-01T00:00:00Z", Map.of())));

        assertThat(world.overlays(gateway)).as("not looked for yet").isEmpty();
        assertThat(world.putParameters(new Target("shop", "own"), Optional.of(Map.of("service", "spec: {}"))))
                .containsExactly(GATEWAY);

        assertThat(world.overlays(gateway).orElseThrow())
                .extracting(Overlay::source)
                .containsExactly("ConfigMap istio-system/old", "ConfigMap shop/own");
    }

    @Test
    void givenParametersThatAreNotThere_thenProblem() {
        world.putParameters(new Target("shop", "own"), Optional.empty());

        assertThatThrownBy(() ->
                        world.overlays(gateway("{}", "{parametersRef: {group: \"\", kind: ConfigMap, name: own}}")))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("there is no ConfigMap shop/own");
        assertThatThrownBy(
                        () -> world.overlays(gateway("{}", "{parametersRef: {group: x.io, kind: Thing, name: own}}")))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("names a Thing");
    }

    private static Optional<ClassDefaults> defaults(String created) {
        return Optional.of(new ClassDefaults("istio-waypoint", created, Map.of()));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            own Secret | certs | , Secret, , good | Good
            own Secret, not there | certs | , Secret, , none | Invalid
            own Secret, broken | certs | , Secret, , broken | Invalid
            not a Secret | certs | , ConfigMap, , good | Invalid
            other namespace, permitted by name | shop | , Secret, certs, good | Good
            other namespace, other name | shop | , Secret, certs, broken | Forbidden
            other namespace, other Gateways | elsewhere | , Secret, certs, good | Forbidden
            """)
    void whenCertificateIsJudged(String situation, String namespace, String reference, String want) {
        world.putSecret(new Target("certs", "good"), Optional.empty());
        world.putSecret(new Target("certs", "broken"), Optional.of("no PEM"));
        world.putGrant(new Target("certs", "grant"), Optional.of(grant("good")));
        var parts = reference.split(",", -1);

        var verdict = world.judge(
                new Referrer("Gateway", namespace),
                new CertificateRef(parts[0].strip(), parts[1].strip(), parts[2].strip(), parts[3].strip()));

        assertThat(verdict.getClass().getSimpleName()).isEqualTo(want);
    }

    private static Grant grant(String secret) {
        return new Grant(List.of(new Referrer("Gateway", "shop")), List.of(new Grant.To("Secret", secret)));
    }

    @Test
    void givenAGrantForGateways_thenListenerSetsNeedTheirOwn() {
        world.putSecret(new Target("certs", "good"), Optional.empty());
        world.putGrant(new Target("certs", "grant"), Optional.of(grant("good")));
        var reference = new CertificateRef("", "Secret", "certs", "good");

        assertThat(world.judge(new Referrer("ListenerSet", "shop"), reference)).isInstanceOf(Verdict.Forbidden.class);
        world.putGrant(
                new Target("certs", "sets"),
                Optional.of(
                        new Grant(List.of(new Referrer("ListenerSet", "shop")), List.of(new Grant.To("Secret", "")))));
        assertThat(world.judge(new Referrer("ListenerSet", "shop"), reference)).isEqualTo(new Verdict.Good());
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            its own | , ConfigMap, , good | Good
            no such ConfigMap | , ConfigMap, , none | Invalid
            no certificates in it | , ConfigMap, , broken | Invalid
            not a ConfigMap | , Service, , good | WrongKind
            of another group | x, ConfigMap, , good | WrongKind
            other namespace | , ConfigMap, certs, good | Forbidden
            """)
    void whenAuthorityIsJudged(String situation, String reference, String want) {
        world.putParameters(new Target("shop", "good"), Optional.of(Map.of("ca.crt", CA)));
        world.putParameters(new Target("shop", "broken"), Optional.of(Map.of("ca.crt", "no")));
        world.putParameters(new Target("shop", "none"), Optional.empty());
        var parts = reference.split(",", -1);

        var verdict = world.judgeAuthority(
                new Referrer("Gateway", "shop"),
                new CertificateRef(parts[0].strip(), parts[1].strip(), parts[2].strip(), parts[3].strip()));

        assertThat(verdict.getClass().getSimpleName()).isEqualTo(want);
    }

    @Test
    void givenListenerSets_thenTheirGatewayIsTouchedAndNamespacesAreSelected() {
        var gateway = Scene.of("""
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: gw, namespace: shop, uid: u}
                spec:
                  gatewayClassName: istio
                  listeners: [{name: http, port: 80, protocol: HTTP}]
                  allowedListeners: {namespaces: {from: Selector, selector: {matchLabels: {team: blue}}}}
                """).gateway();
        world.put(GATEWAY, Optional.of(gateway));
        var set = new GatewayObjects().readSet(Scene.objects("""
                        apiVersion: gateway.networking.k8s.io/v1
                        kind: ListenerSet
                        metadata: {name: more, namespace: other, uid: s}
                        spec:
                          parentRef: {name: gw, namespace: shop}
                          listeners: [{name: tls, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: cert}]}}]
                        """).getFirst()).orElseThrow();

        assertThat(world.putListenerSet(set.target(), Optional.of(set))).containsExactly(GATEWAY);
        assertThat(world.putListenerSet(set.target(), Optional.of(set))).isEmpty();
        assertThat(world.listenerSets(GATEWAY)).containsExactly(set);
        assertThat(world.allows(gateway, set)).isFalse();
        assertThat(world.wantsCertificates()).isTrue();
        assertThat(world.putSecret(new Target("other", "cert"), Optional.empty()))
                .containsExactly(GATEWAY);
        assertThat(world.putNamespace("other", Optional.of(Map.of("team", "blue"))))
                .containsExactly(GATEWAY);
        assertThat(world.allows(gateway, set)).isTrue();
        assertThat(world.putListenerSet(set.target(), Optional.empty())).containsExactly(GATEWAY);
    }

    @Test
    void givenGrantForAllSecrets_thenEveryOneIsPermitted() {
        world.putSecret(new Target("certs", "good"), Optional.empty());
        world.putGrant(new Target("certs", "grant"), Optional.of(grant("")));

        assertThat(world.judge(new Referrer("Gateway", "shop"), new CertificateRef("", "Secret", "certs", "good")))
                .isEqualTo(new Verdict.Good());
    }

    @Test
    void givenPods_thenTheGatewayIsTouchedWhenItBecomesReadyOrNot() {
        var one = new Target("shop", "gw-1");
        var two = new Target("shop", "gw-2");

        assertThat(world.putPod(one, Optional.of(GATEWAY))).containsExactly(GATEWAY);
        assertThat(world.hasReadyPod(GATEWAY)).isTrue();
        world.putPod(two, Optional.of(GATEWAY));
        assertThat(world.putPod(one, Optional.empty())).as("another is ready").isEmpty();
        assertThat(world.putPod(two, Optional.empty())).containsExactly(GATEWAY);
        assertThat(world.hasReadyPod(GATEWAY)).isFalse();
    }

    @Test
    void givenNetworkLabel_thenAllGatewaysAreTouched() {
        world.put(GATEWAY, Optional.of(gateway("{}", "{}")));

        assertThat(world.putNamespace("istio-system", Optional.of(Map.of("topology.istio.io/network", "net-1"))))
                .containsExactly(GATEWAY);
        assertThat(world.network()).isEqualTo("net-1");
        assertThat(world.putNamespace("istio-system", Optional.of(Map.of("topology.istio.io/network", "net-1"))))
                .isEmpty();
    }

    private static GatewayObject gateway(String labels, String infrastructure) {
        return Scene.of("""
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: gw, namespace: shop, uid: u, labels: %s}
                spec:
                  gatewayClassName: istio-waypoint
                  infrastructure: %s
                  listeners: [{name: mesh, port: 15008, protocol: HBONE}]
                """.formatted(labels, infrastructure)).gateway();
    }
}
