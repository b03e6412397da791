// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.IpPort;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AccessFormatTest {
    private static final Instant TIME = Instant.parse("2026-11-16T02:03:04.005006Z");

    private static IpPort at(String text) {
        return IpPort.parse(text).orElseThrow();
    }

    private static ConnectionFacts facts(Optional<String> policy) {
        return new ConnectionFacts(
                Reporter.SOURCE,
                at("10.0.0.1:40000"),
                new Party("client-1", "client", "ns1", "client", "v1", "c1", "", "", identity("client")),
                at("10.0.0.2:15008"),
                Optional.of("10.0.0.2:80"),
                new Party("server-1", "server", "ns2", "server", "v1", "c1", "", "", identity("server")),
                new Called("server.ns2.svc.cluster.local", "ns2", "server"),
                Security.MUTUAL_TLS,
                policy);
    }

    private static Optional<Identity> identity(String account) {
        return Optional.of(new Identity("cluster.local", "ns1", account));
    }

    private static String line(AccessFormat format, AccessEntry entry) {
        var line = new StringBuilder();
        format.write(line, entry, new TimeText());
        return line.toString();
    }

    @Test
    void givenAConnection_whenItIsComplete_thenThePlainLineHasUpstreamsKeysInOrderAndThePolicy() {
        var entry = new AccessEntry.Complete(TIME, facts(Optional.of("ns2/allow")), 11, 22, 13, Optional.empty());
        assertThat(line(AccessFormat.PLAIN, entry))
                .isEqualTo("2026-11-16T02:03:04.005006Z\tinfo\taccess\tconnection complete\t"
                        + "src.addr=10.0.0.1:40000 src.workload=\"client-1\" src.namespace=\"ns1\""
                        + " src.identity=\"spiffe://cluster.local/ns/ns1/sa/client\" src.cluster=\"c1\""
                        + " dst.addr=10.0.0.2:15008 dst.hbone_addr=10.0.0.2:80"
                        + " dst.service=\"server.ns2.svc.cluster.local\" dst.workload=\"server-1\""
                        + " dst.namespace=\"ns2\" dst.identity=\"spiffe://cluster.local/ns/ns1/sa/server\""
                        + " dst.cluster=\"c1\" direction=\"outbound\" bytes_sent=11 bytes_recv=22"
                        + " duration=\"13ms\" policy=\"ns2/allow\"\n");
    }

    @Test
    void givenAFailure_whenItIsWrittenAsJson_thenItIsAnErrorWithItsText() {
        var entry = new AccessEntry.Complete(TIME, facts(Optional.empty()), 0, 0, 1, Optional.of("no \"way\"\n"));
        assertThat(line(AccessFormat.JSON, entry))
                .startsWith("{\"level\":\"error\",\"time\":\"2026-11-16T02:03:04.005006Z\",\"scope\":\"access\","
                        + "\"message\":\"connection complete\",\"src.addr\":\"10.0.0.1:40000\"")
                .endsWith("\"bytes_sent\":0,\"bytes_recv\":0,\"duration\":\"1ms\","
                        + "\"error\":\"no \\\"way\\\"\\u000a\"}\n");
    }

    @Test
    void givenSomethingTurnedAway_whenItIsWritten_thenItIsAWarningOfFourKeys() {
        var entry = new AccessEntry.Failed(
                TIME, Reporter.DESTINATION, at("[2001:db8::1]:1"), Optional.of(at("10.0.0.2:15008")), "ip mismatch");
        assertThat(line(AccessFormat.PLAIN, entry))
                .isEqualTo("2026-11-16T02:03:04.005006Z\twarn\taccess\tconnection failed\t"
                        + "src.addr=[2001:db8::1]:1 dst.addr=10.0.0.2:15008 direction=\"inbound\""
                        + " error=\"ip mismatch\"\n");
    }
}
