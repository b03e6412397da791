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
    static void stop() throws Exception {
        lab.close();
    }

    /// Case 96.
    @Test
    void givenDump_whenTheToolReadsIt_thenEveryKindIsPrintedAndEachChainIsFound() throws IOException {
        var host = "echo.shop.svc.cluster.local";
        assertThat(tool("clusters"))
                .contains("connect_originate")
                .contains("encap")
                .contains("main_internal")
                .containsPattern(host + " +80 +http +inbound-vip +EDS");
        assertThat(tool("listeners"))
                .contains("connect_terminate")
                .contains("connect_originate")
                .containsPattern("main_internal +0 +ip=" + lab.vip(1) + " -> port=80 +Cluster|main_internal.*")
                .contains("inbound-vip|80|http|" + host)
                .contains("inbound-vip|9000|tcp|" + host)
                .contains("inbound-vip|7000|http|" + host)
                .contains("inbound-vip|7000|tcp|" + host)
                .contains("direct-http")
                .contains("direct-tcp");
        assertThat(tool("routes")).contains("inbound-vip|80|http|" + host).contains("encap");
        assertThat(tool("secrets")).contains("default").contains("ROOTCA");
        assertThat(tool("bootstrap")).contains("xds-grpc");
    }

    private static String tool(String kind) throws IOException {
        var file = lab.folder().resolve("dump.json");
        Files.writeString(file, envoy.admin("/config_dump?include_eds"));
        var printed = TestNamespace.execute(
                List.of(StockProgram.ISTIOCTL.require().toString(), "proxy-config", kind, "--file", file.toString()));
        System.out.println(printed);
        return printed;
    }
}
