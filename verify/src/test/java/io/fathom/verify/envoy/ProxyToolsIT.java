// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Upstream's tool reads the configuration of our waypoints.
@Tag("slow")
@Tag("interop")
class ProxyToolsIT {
    private static WaypointLab lab;
    private static LabEnvoy envoy;
    private static EchoPod pod;

    @BeforeAll
    static void start() throws Exception {
        lab = new WaypointLab();
        lab.gateway("labels: {istio.io/waypoint-for: all}");
        lab.service("echo", 1, "[{name: http, port: 80}, {name: tcp, port: 9000}, {name: any, port: 7000}]");
        pod = lab.pod("echo-1", "{app: echo, istio.io/use-waypoint: waypoint}");
        envoy = lab.start().ready();
    }

    @AfterAll
    static void stop() {
        lab.close();
    }

    /// Case 96.
    @Test
    void givenDump_whenTheToolReadsIt_thenEveryKindIsPrinted() throws IOException {
        var host = "echo.shop.svc.cluster.local";
        assertThat(tool("clusters"))
                .contains("connect_originate")
                .contains("encap")
                .contains("main_internal")
                .containsPattern(host + " +80 +http +inbound-vip +EDS");
        assertThat(tool("listeners"))
                .contains("Cluster: connect_originate")
                .contains("Route: inbound-vip|80|http|" + host)
                .contains("Cluster: inbound-vip|9000|tcp|" + host)
                .contains("Route: inbound-vip|7000|http|" + host)
                .contains("Cluster: inbound-vip|7000|tcp|" + host)
                .contains("Cluster: encap")
                .containsPattern("0[.]0[.]0[.]0 +15008");
        assertThat(tool("routes")).contains("inbound-vip|80|http|" + host).contains("encap");
        assertThat(tool("secrets")).contains("default").contains("ROOTCA");
        assertThat(tool("bootstrap")).contains("xds-grpc");
        assertThat(tool("eds")).contains("inbound-vip|80|http|" + host);
        assertThat(ConfigTool.endpoints(envoy, lab.folder()))
                .contains("inbound-vip|80|http|" + host)
                .contains("HEALTHY");
        assertThat(tool("all"))
                .contains("cluster/")
                .contains("listener/main_internal")
                .contains("route/")
                .contains("endpoint/")
                .contains("secret/");
    }

    /// Case 97: the control plane shows what it sent in the same shape.
    @Test
    void givenAConnectedEnvoy_whenTheControlPlaneIsAsked_thenItsDumpHasTheSameClustersAndListeners()
            throws IOException {
        var ours = lab.fathomd().json("/debug/config_dump?proxyID=waypoint");
        var theirs = new ObjectMapper().readTree(envoy.admin("/config_dump"));
        for (var path : List.of("/dynamic_active_clusters/cluster", "/dynamic_listeners/active_state/listener")) {
            assertThat(dynamic(ours, path)).as(path).isNotEmpty().isEqualTo(dynamic(theirs, path));
        }
    }

    /// By name.
    private static Map<String, JsonNode> dynamic(JsonNode dump, String path) {
        var parts = path.substring(1).split("/", 2);
        var result = new TreeMap<String, JsonNode>();
        for (var config : dump.path("configs")) {
            for (var row : config.path(parts[0])) {
                var resource = row.at("/" + parts[1]);
                result.put(resource.path("name").asText(), resource);
            }
        }
        return result;
    }

    /// Case 96: the tool finds out what leads to each chain of the running proxy.
    @Test
    void givenDump_whenTheToolLooksForMatches_thenThereAreSomeForEachChain() throws IOException {
        var chains = ConfigTool.chains(envoy, lab.folder());
        var host = "echo.shop.svc.cluster.local";
        var vip = "ip=" + lab.vip(1) + " -> port=";
        assertThat(chains)
                .hasSizeGreaterThan(6)
                .allSatisfy(chain -> assertThat(chain.match()).isNotIn("NONE", "UNMATCHED", ""));
        assertThat(matches(chains, "inbound-vip|80|http|" + host)).containsExactly(vip + "80");
        assertThat(matches(chains, "inbound-vip|9000|tcp|" + host)).containsExactly(vip + "9000");
        assertThat(matches(chains, "inbound-vip|7000|http|" + host))
                .contains(vip + "7000 -> application-protocol='http/1.1'")
                .contains(vip + "7000 -> application-protocol='h2c'");
        assertThat(matches(chains, "inbound-vip|7000|tcp|" + host)).containsExactly(vip + "7000 -> ANY");
        assertThat(matches(chains, "direct-http")).contains("ip=" + pod.ip() + " -> application-protocol='http/1.1'");
        assertThat(matches(chains, "direct-tcp")).containsExactly("ip=" + pod.ip() + " -> ANY");
    }

    private static List<String> matches(List<ConfigTool.Chain> chains, String name) {
        return chains.stream()
                .filter(chain -> chain.name().equals(name))
                .map(ConfigTool.Chain::match)
                .toList();
    }

    private static String tool(String kind) throws IOException {
        return tool(envoy, kind);
    }

    /// What it prints of a kind for that proxy.
    static String tool(LabEnvoy envoy, String kind) throws IOException {
        return ConfigTool.print(envoy, envoy.folder(), kind);
    }
}
