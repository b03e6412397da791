package io.fathom.verify.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.base.testkit.TestNamespace;
import io.fathom.verify.peers.StockProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
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

    @BeforeAll
    static void start() throws Exception {
        lab = new WaypointLab();
        lab.gateway("labels: {istio.io/waypoint-for: all}");
        lab.service("echo", 1, "[{name: http, port: 80}, {name: tcp, port: 9000}, {name: any, port: 7000}]");
        lab.pod("echo-1", "{app: echo, istio.io/use-waypoint: waypoint}");
        envoy = lab.start().ready();
    }

    @AfterAll
    static void stop() {
        lab.close();
    }

    /// Case 96. From a file the tool does not print what leads to a chain; names and shapes are those that it looks
    /// for.
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
                .contains("Cluster: inbound-vip|80|http|" + host)
                .contains("Cluster: inbound-vip|9000|tcp|" + host)
                .contains("Cluster: inbound-vip|7000|http|" + host)
                .contains("Cluster: inbound-vip|7000|tcp|" + host)
                .contains("Cluster: encap")
                .containsPattern("0[.]0[.]0[.]0 +15008");
        assertThat(tool("routes")).contains("inbound-vip|80|http|" + host).contains("encap");
        assertThat(tool("secrets")).contains("default").contains("ROOTCA");
        assertThat(tool("bootstrap")).contains("xds-grpc");
    }

    private static String tool(String kind) throws IOException {
        return tool(envoy, kind);
    }

    /// What it prints of a kind for that proxy.
    static String tool(LabEnvoy envoy, String kind) throws IOException {
        var file = envoy.folder().resolve("dump.json");
        Files.writeString(file, envoy.admin("/config_dump?include_eds"));
        return TestNamespace.execute(
                List.of(StockProgram.ISTIOCTL.require().toString(), "proxy-config", kind, "--file", file.toString()));
    }
}
