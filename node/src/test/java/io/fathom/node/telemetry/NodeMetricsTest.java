// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.IpPort;
import java.io.OutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NodeMetricsTest {
    private final NodeMetrics metrics = new NodeMetrics("1.0");
    private final AccessLog log = new AccessLog(OutputStream.nullOutputStream(), AccessFormat.PLAIN);
    private final Telemetry telemetry = new Telemetry(metrics, log, () -> Instant.EPOCH);

    @AfterEach
    void close() {
        log.close();
    }

    private static ConnectionFacts facts(Reporter reporter, String pod, String region) {
        return new ConnectionFacts(
                reporter,
                IpPort.parse("10.0.0.1:1").orElseThrow(),
                new Party(pod, "client", "ns1", "client", "v1", "c1", region, "", Optional.of(identity())),
                IpPort.parse("10.0.0.2:15008").orElseThrow(),
                Optional.empty(),
                Party.UNKNOWN,
                new Called("host", "ns2", "na\"me"),
                Security.MUTUAL_TLS,
                Optional.empty());
    }

    private static Identity identity() {
        return new Identity("cluster.local", "ns1", "client");
    }

    @Test
    void givenTraffic_whenMetricsAreRead_thenNamesAndLabelsAreUpstreamsInOrder() {
        var report = telemetry.open(facts(Reporter.SOURCE, "pod-1", ""), 0);
        report.fromClient(11);
        report.fromServer(22);
        report.end(ResponseFlag.CONNECT, "refused");
        report.end();
        var labels = "reporter=\"source\",source_workload=\"client\",source_canonical_service=\"client\","
                + "source_canonical_revision=\"v1\",source_workload_namespace=\"ns1\","
                + "source_principal=\"spiffe://cluster.local/ns/ns1/sa/client\",source_app=\"client\","
                + "source_version=\"v1\",source_cluster=\"c1\",destination_service=\"host\","
                + "destination_service_namespace=\"ns2\",destination_service_name=\"na\\\"me\","
                + "destination_workload=\"unknown\",destination_canonical_service=\"unknown\","
                + "destination_canonical_revision=\"unknown\",destination_workload_namespace=\"unknown\","
                + "destination_principal=\"unknown\",destination_app=\"unknown\",destination_version=\"unknown\","
                + "destination_cluster=\"unknown\",request_protocol=\"tcp\",response_flags=\"%s\","
                + "connection_security_policy=\"mutual_tls\"";
        assertThat(metrics.openMetrics().lines())
                .contains(
                        "# TYPE istio_tcp_connections_opened counter",
                        "istio_tcp_connections_opened_total{" + labels.formatted("-") + "} 1",
                        "istio_tcp_received_bytes_total{" + labels.formatted("-") + "} 11",
                        "istio_tcp_sent_bytes_total{" + labels.formatted("-") + "} 22",
                        "istio_tcp_connections_closed_total{" + labels.formatted("CONNECT") + "} 1",
                        "istio_tcp_connections_failed_total{" + labels.formatted("CONNECT") + "} 1",
                        "istio_build{component=\"ztunnel\",tag=\"1.0\"} 1",
                        "# EOF");
    }

    @Test
    void givenTwoPodsOfOneWorkload_whenTheyConnect_thenTheyShareASeries() {
        telemetry.open(facts(Reporter.SOURCE, "pod-1", "r1"), 0).end();
        telemetry.open(facts(Reporter.SOURCE, "pod-2", "r1"), 0).end();
        assertThat(metrics.openMetrics().lines().filter(line -> line.startsWith("istio_tcp_connections_opened_total")))
                .singleElement()
                .asString()
                .contains("source_region=\"r1\",source_zone=\"unknown\",destination_region=\"unknown\"")
                .endsWith("} 2");
    }

    @Test
    void givenMoreKindsOfTrafficThanAreKeptApart_whenTheyAreCounted_thenTheRestCountsTogether() {
        var traffic = new TrafficMetrics(2);
        for (int i = 0; i < 5; i++) {
            traffic.series(facts(Reporter.SOURCE, "", "r" + i).labels(ResponseFlag.NONE))
                    .opened
                    .increment();
        }
        var out = new OpenMetrics();
        traffic.write(out);
        assertThat(out.finish().lines().filter(line -> line.startsWith("istio_tcp_connections_opened_total")))
                .hasSize(3)
                .anyMatch(line -> line.contains("source_workload=\"unknown\"") && line.endsWith(" 3"));
    }

    @Test
    void givenOtherParts_whenTheyCount_thenTheirFamiliesAreThere() {
        metrics.socketOpened(Reporter.DESTINATION);
        telemetry.open(facts(Reporter.SOURCE, "pod-1", ""), 0).untracked();
        metrics.xdsEnded(NodeMetrics.XdsEnd.RECONNECT);
        metrics.xdsReceived("type.googleapis.com/istio.workload.Address", 100);
        metrics.pods(() -> 3, () -> 1);
        metrics.dnsForwarded(new NodeMetrics.DnsLabels("A", "udp", "client", "v1"), Duration.ofMillis(5));
        assertThat(metrics.openMetrics().lines())
                .contains(
                        "istio_tcp_sockets_open{reporter=\"destination\"} 1",
                        "istio_tcp_sockets_open{reporter=\"source\"} 0",
                        "istio_crl_untracked_connections_total{reporter=\"source\"} 1",
                        "istio_xds_connection_terminations_total{reason=\"Reconnect\"} 1",
                        "istio_xds_message_bytes_total{url=\"type.googleapis.com/istio.workload.Address\"} 100",
                        "workload_manager_active_proxy_count 3",
                        "workload_manager_proxies_started_total 0")
                .anyMatch(line -> line.startsWith("istio_dns_upstream_request_duration_seconds_bucket{")
                        && line.endsWith("le=\"0.01\"} 1"));
    }
}
