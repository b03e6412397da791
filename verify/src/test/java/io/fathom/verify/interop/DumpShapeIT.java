// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fathom.base.testkit.TestNamespace;
import io.fathom.verify.client.JsonDiff;
import io.fathom.verify.lab.ProxyProgram;
import io.fathom.verify.peers.Workspace;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The same mesh from a file in our node proxy and in a stock one: both must show the same.
@Tag("slow")
@Tag("interop")
class DumpShapeIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String MESH = """
            workloads:
            - uid: cluster1//v1/Pod/default/local
              name: local
              namespace: default
              trustDomain: td
              serviceAccount: sa
              workloadIps: ["127.0.0.2", "::2"]
              protocol: HBONE
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
              status: Healthy
              clusterId: c1
              locality: {region: r, zone: z, subzone: s}
              services:
                "default/example.com":
                  80: 8080
              capacity: 7
            - uid: cluster1//v1/Pod/default/plain
              name: plain
              namespace: default
              clusterId: c1
              trustDomain: cluster.local
              serviceAccount: default
              workloadIps: ["127.0.0.3"]
              services:
                "default/example.com":
                  80: 9090
                "default/unknown.com":
                  80: 80
            - uid: cluster1//v1/Pod/default/node
              name: node
              namespace: default
              clusterId: c1
              trustDomain: cluster.local
              serviceAccount: default
              workloadIps: ["127.0.0.4"]
              networkMode: HostNetwork
              services: {}
            services:
            - name: local
              namespace: default
              hostname: example.com
              vips: [/127.10.0.1, "net2/::1"]
              ports:
                80: 8080
                443: 0
              subjectAltNames: ["spiffe://td/ns/default/sa/x"]
              waypoint: {destination: /10.1.1.1, hboneMtlsPort: 15008}
              weightedWaypoints:
              - destination: {destination: ns/one.com, hboneMtlsPort: 15008}
                weight: 75
              - destination: {destination: defaultnw/127.0.0.11, hboneMtlsPort: 15008}
                weight: 25
              loadBalancer: {routingPreferences: [Network, Region, Zone], mode: Failover, healthPolicy: AllowAll}
              ipFamilies: IPv4
              canonical: true
              visibility: Namespace
            - name: range
              namespace: default
              hostname: range.com
              vips: []
              cidrVips: [{network: net3, cidr: 10.0.0.0/8}]
              ports: {}
              subjectAltNames: []
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

    /// How a stock proxy wants its YAML: kinds of matches as tags.
    private static final String STOCK_MESH = MESH.replaceAll("\\{(Exact|Prefix|Suffix|Presence): ([^}]*)\\}", "!$1 $2");

    @Test
    @Timeout(120)
    void givenTheSameMesh_whenBothAreAsked_thenTheyShowTheSame() throws Exception {
        var stock = ProxyProgram.stock();
        assumeTrue(stock.isPresent(), "skipped: ZTUNNEL_BIN does not name a stock ztunnel (it is in no registry)");
        try (var workspace = new Workspace()) {
            var theirs = dump(workspace, stock.get(), STOCK_MESH);
            var ours = dump(workspace, ProxyProgram.ours(), MESH);
            // a stock proxy shows the services of a workload only if they came from a control plane
            // and ours shows addresses and identity under the names of older proxies as well, as the seeds read them
            ours.path("workloads")
                    .forEach(workload -> ((ObjectNode) workload).remove(List.of("services", "addresses", "identity")));
            var differences = new ArrayList<String>();
            for (var part : List.of("workloads", "services", "policies", "stagedServices")) {
                JsonDiff.between(theirs.path(part), ours.path(part))
                        .forEach(line -> differences.add(part + " " + line));
            }
            assertThat(differences).as("stock: %s%nours: %s", theirs, ours).isEmpty();
            assertThat(theirs.path("workloads"))
                    .as("is there anything to compare?")
                    .hasSize(3);
        }
    }

    private static JsonNode dump(Workspace workspace, ProxyProgram program, String mesh) throws IOException {
        try (var namespace = TestNamespace.create()) {
            var command = new ArrayList<>(List.of("ip", "netns", "exec", namespace.name()));
            command.addAll(program.command());
            var process = workspace.start(
                    program.name(),
                    command,
                    Map.of(
                            "XDS_ADDRESS",
                            "",
                            "CA_ADDRESS",
                            "https://127.0.0.1:1",
                            "LOCAL_XDS",
                            mesh,
                            "NODE_NAME",
                            "other-node",
                            "ISTIO_META_DNS_CAPTURE",
                            "false",
                            "INPOD_UDS",
                            workspace.directory().resolve("nobody.sock").toString()));
            try {
                var text = Awaitility.await(program.name())
                        .atMost(PATIENCE)
                        .ignoreExceptions()
                        .until(
                                () -> namespace.run("curl", "-sS", "http://127.0.0.1:15000/config_dump"),
                                answer -> answer.startsWith("{"));
                return JSON.readTree(text);
            } catch (RuntimeException e) {
                throw new IllegalStateException(workspace.tail(program.name()), e);
            } finally {
                process.destroy();
                process.onExit().join();
            }
        }
    }
}
