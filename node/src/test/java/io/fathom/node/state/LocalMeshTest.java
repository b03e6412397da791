// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import com.fasterxml.jackson.core.JsonFactory;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.Workload;
import io.fathom.model.routing.MeshDelta;
import io.fathom.model.routing.MeshStore;
import io.fathom.model.routing.MeshView;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class LocalMeshTest {
    static final String EVERYTHING = """
            workloads:
            - uid: cluster1//v1/Pod/default/local
              name: local
              namespace: default
              trustDomain: td
              serviceAccount: sa
              workloadIps: ["127.0.0.2", "::2"]
              protocol: HBONE
              networkMode: HostNetwork
              node: local-node
              network: defaultnw
              waypoint: {destination: defaultnw/127.0.0.10, hboneMtlsPort: 15008}
              networkGateway: {destination: gateways/east.example.com, hboneMtlsPort: 15009}
              workloadName: local-deployment
              workloadType: job
              canonicalName: local-app
              canonicalRevision: v2
              hostname: host
              nativeTunnel: true
              applicationTunnel: {protocol: PROXY, port: 15088}
              authorizationPolicies: [default/deny-9999]
              status: Unhealthy
              clusterId: c1
              locality: {region: r, zone: z, subzone: s}
              services:
                "default/example.com":
                  80: 8080
              capacity: 7
            - name: plain
              namespace: default
              workloadIps: ["127.0.0.3"]
              services:
                "default/example.com":
                  80: 9090
                "default/unknown.com": {}
            services:
            - name: local
              namespace: default
              hostname: example.com
              vips: [/127.10.0.1, "net2/::1"]
              cidrVips: [{network: net3, cidr: 10.0.0.0/8}]
              ports:
                80: 8080
                443: 0
              subjectAltNames: ["spiffe://td/ns/default/sa/x"]
              waypoint: {destination: /10.1.1.1, hboneMtlsPort: 15008}
              weightedWaypoints:
              - destination: {destination: ns/one.com, hboneMtlsPort: 15008}
                weight: 75
              loadBalancer: {routingPreferences: [Network, Region, Zone], mode: Failover, healthPolicy: AllowAll}
              ipFamilies: IPv4
              canonical: true
              visibility: Namespace
            policies:
            - name: deny-9999
              namespace: default
              scope: WorkloadSelector
              action: Deny
              dryRun: true
              rules:
              - - - destinationPorts: [9999]
                    notDestinationPorts: [1]
                    namespaces: [{Exact: a}, {Prefix: b}, {Suffix: c}, {Presence: []}]
                    principals: [{Exact: td/ns/a/sa/b}]
                    sourceIps: [10.0.0.0/8, "fd00::/8"]
                    notServiceAccounts: [{namespace: n, serviceAccount: s}]
                  - notSourceIps: [1.2.3.4/32]
              - []
            """;

    @Test
    void givenEveryField_thenItIsRead() {
        var mesh = view(LocalMesh.parse("file", EVERYTHING));
        var local = mesh.workload("cluster1//v1/Pod/default/local").orElseThrow();
        assertThat(local.addresses()).hasSize(2);
        assertThat(local.type()).isEqualTo(Workload.Type.JOB);
        assertThat(local.identity().orElseThrow().uri()).isEqualTo("spiffe://td/ns/default/sa/sa");
        assertThat(mesh.workload("Kubernetes//Pod/default/plain")
                        .orElseThrow()
                        .identity()
                        .orElseThrow()
                        .uri())
                .isEqualTo("spiffe://cluster.local/ns/default/sa/default");
        assertThat(mesh.serviceAt("net3", Ip.parse("10.2.3.4").orElseThrow())).isPresent();
        assertThat(mesh.serviceAt("", Ip.parse("127.10.0.1").orElseThrow())).isPresent();
        assertThat(mesh.policies().all().getFirst().groups()).hasSize(2);
    }

    @Test
    void givenADump_whenItIsReadAgain_thenItSaysTheSame() throws IOException {
        var first = dump(view(LocalMesh.parse("file", EVERYTHING)));
        var again = dump(view(LocalMesh.parse("dump", first)));
        // what a workload says of the ports of its services stands in the dump of the service only
        assertThat(again.replaceAll("\"port\":\\{[^}]*\\}", ""))
                .isEqualTo(first.replaceAll("\"port\":\\{[^}]*\\}", ""));
    }

    static Stream<Arguments> mistakes() {
        return Stream.of(
                argumentSet(
                        "no address", "workloads: [{name: a, workloadIps: [10.0.0]}]", "workloads[0].workloadIps[0]"),
                argumentSet("protocol", "workloads: [{name: a, protocol: Hbone}]", "write HBONE"),
                argumentSet("no name", "workloads: [{namespace: a}]", "workloads[0].name is missing"),
                argumentSet("membership", "workloads: [{name: a, services: {x: {}}}]", "namespace/hostname"),
                argumentSet("port", "services: [{name: a, namespace: b, hostname: c, ports: {x: 1}}]", "80: 8080"),
                argumentSet(
                        "range",
                        "policies: [{name: a, scope: Global, action: Deny, rules: [[[{sourceIps: [x]}]]]}]",
                        "10.0.0.0/8"),
                argumentSet(
                        "match",
                        "policies: [{name: a, scope: Global, action: Deny, rules: [[[{namespaces: [x]}]]]}]",
                        "must be a map"),
                argumentSet("gateway", "workloads: [{name: a, waypoint: {destination: x}}]", "namespace/hostname"),
                argumentSet("yaml", "workloads: [", "file:1"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void givenAMistake_thenTheProblemNamesThePlaceAndTheWayOut(String yaml, String want) {
        assertThatThrownBy(() -> LocalMesh.parse("file", yaml))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("file:1")
                .hasMessageContaining(want);
    }

    @Test
    void givenNoSuchFile_thenTheProblemSaysSo() {
        assertThatThrownBy(() -> LocalMesh.read(Path.of("/no/such/file")))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("LOCAL_XDS_PATH");
    }

    static MeshView view(MeshDelta delta) {
        var store = new MeshStore(Optional.empty());
        store.apply(delta);
        return store.view();
    }

    static String dump(MeshView view) throws IOException {
        var text = new StringWriter();
        try (var out = new JsonFactory().createGenerator(text)) {
            out.writeStartObject();
            new DumpWriter(out).write(view);
            out.writeEndObject();
        }
        return text.toString();
    }
}
