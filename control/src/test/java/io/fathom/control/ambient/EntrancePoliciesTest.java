// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import static io.fathom.control.ambient.Drafts.eastWest;
import static io.fathom.control.ambient.Drafts.entry;
import static io.fathom.control.ambient.Drafts.meshConfig;
import static io.fathom.control.ambient.Drafts.namespace;
import static io.fathom.control.ambient.Drafts.network;
import static io.fathom.control.ambient.Drafts.pod;
import static io.fathom.control.ambient.Drafts.service;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.policy.Attempt;
import io.fathom.model.policy.Authorization;
import io.fathom.model.policy.Authorizer;
import io.fathom.model.policy.Policy;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// What clients of other networks may ask pods for, in tunnels that an east-west gateway hands on.
class EntrancePoliciesTest {
    private static final String KEY = "app/fathom_ports_of_all_clusters_8080";
    private static final String GATEWAY = "10.0.9.1";

    private final TestMesh mesh = new TestMesh();

    @BeforeEach
    void oneServiceOfEachKind() {
        mesh.put(
                network("home"),
                namespace("app"),
                meshConfig().globalByLabel(),
                eastWest("edge/gate", "home").ip("203.0.113.1"),
                gatewayPod(),
                service("app/web")
                        .label("istio.io/global", "true")
                        .selects("app", "web")
                        .port("http", 80, 8080),
                service("app/admin").selects("app", "web").port("http", 80, 9090),
                web());
    }

    private static PodDraft gatewayPod() {
        return pod("edge/gate-1")
                .label("gateway.networking.k8s.io/gateway-name", "gate")
                .ips(GATEWAY)
                .account("gate");
    }

    private static PodDraft web() {
        return pod("app/web-1").label("app", "web").captured();
    }

    private List<String> listed() {
        return mesh.pod("app/web-1").authorizationPolicies();
    }

    private Authorization policy(String key) {
        return mesh.mesh().cut().of(mesh.mesh().authorizations()).find(key).orElseThrow();
    }

    @Test
    void givenServicesOfBothKinds_thenTheirPodsDenyWhatComesThroughTheGatewayForOtherPorts() {
        assertThat(listed()).containsExactly(KEY);
        assertThat(AuthorizationText.of(policy(KEY)))
                .isEqualTo("DENY WORKLOAD_SELECTOR: {principals=[*] notPrincipals=[cluster.local/ns/edge/sa/gate] "
                        + "sourceIps=[10.0.9.1/32] notDestinationPorts=[8080]}");
        assertThat(mesh.pod("edge/gate-1").authorizationPolicies()).isEmpty();
    }

    static Stream<Arguments> attempts() {
        return Stream.of(
                argumentSet("the port of the service of all clusters", "client", GATEWAY, 8080, true),
                argumentSet("the port of a service that is local", "client", GATEWAY, 9090, false),
                argumentSet("a port that no service has", "client", GATEWAY, 22, false),
                argumentSet("the gateway itself, for whom TLS is passed on", "gate", GATEWAY, 9090, true),
                argumentSet("a plain connection", "", GATEWAY, 9090, true),
                argumentSet("a client of this network", "client", "10.0.0.7", 9090, true));
    }

    @ParameterizedTest
    @MethodSource("attempts")
    void givenSuchAPolicy_whenSomebodyCalls_thenItSaysWhoMay(String account, String from, int port, boolean allowed) {
        var who = account.isEmpty()
                ? Optional.<Identity>empty()
                : Optional.of(new Identity("cluster.local", account.equals("gate") ? "edge" : "shop", account));
        var peer = IpPort.parse(from + ":40000").orElseThrow();
        var attempt =
                new Attempt(who, peer.ip(), IpPort.parse("10.0.0.5:" + port).orElseThrow());
        assertThat(Authorizer.decide(List.of(Policy.compile(policy(KEY))), attempt)
                        .isAllowed())
                .isEqualTo(allowed);
    }

    @Test
    void whenTheGatewayGoesOrReturnsElsewhere_thenSoDoesThePolicy() {
        mesh.remove(gatewayPod());
        assertThat(AuthorizationText.of(policy(KEY)))
                .as("what its status says is all that is known")
                .contains("203.0.113.1");
        mesh.put(gatewayPod().ips("10.0.9.2", "fd00::9"));
        assertThat(AuthorizationText.of(policy(KEY))).contains("sourceIps=[10.0.9.2/32, fd00::9/128]");
        mesh.remove(eastWest("edge/gate", "home"));
        assertThat(listed()).isEmpty();
        assertThat(mesh.mesh().cut().of(mesh.mesh().authorizations()).isEmpty()).isTrue();
    }

    @Test
    void givenAClusterOnOurNetwork_thenItsGatewaysCount_andThoseOfOtherNetworksDoNot() {
        var theirs = pod("edge/far-1")
                .label("gateway.networking.k8s.io/gateway-name", "far")
                .ips("10.0.9.9")
                .account("far");
        mesh.putIn("other", network("elsewhere"), namespace("edge"), eastWest("edge/far", "elsewhere"), theirs);
        assertThat(AuthorizationText.of(policy(KEY))).contains("sourceIps=[10.0.9.1/32]");
        mesh.putIn("other", network("home"));
        assertThat(AuthorizationText.of(policy(KEY)))
                .contains("sourceIps=[10.0.9.1/32, 10.0.9.9/32]", "edge/sa/far, cluster.local/ns/edge/sa/gate");
    }

    @Test
    void whenServicesChangeTheirScope_thenSoDoThePorts() {
        var admin = service("app/admin").selects("app", "web").port("http", 80, 9090);
        mesh.put(admin.label("istio.io/global", "true"));
        assertThat(listed()).containsExactly("app/fathom_ports_of_all_clusters_8080_9090");
        mesh.put(entry("app/more", "more.example")
                .label("istio.io/global", "true")
                .selects("app", "web")
                .port("tcp", 7000, "TCP", 7001));
        assertThat(listed()).containsExactly("app/fathom_ports_of_all_clusters_7001_8080_9090");
        mesh.remove(admin, service("app/web"), entry("app/more", "more.example"));
        assertThat(listed()).isEmpty();
    }
}
