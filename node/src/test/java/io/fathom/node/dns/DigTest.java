// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.dns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fathom.base.lang.SystemTimeline;
import io.fathom.base.testkit.TestNamespace;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.node.socket.Loops;
import io.fathom.node.socket.OwnSockets;
import io.fathom.node.socket.SocketConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Questions from `dig`, which knows the protocol better than we do.
@Tag("slow")
class DigTest {
    private static final IpPort ANY_PORT = new IpPort(Ip.parse("127.0.0.1").orElseThrow(), 0);

    private final Loops loops = new Loops();
    private final SystemTimeline timeline = new SystemTimeline();
    private FakeNameServer server;
    private DnsProxy proxy;

    @BeforeEach
    void start() {
        assumeTrue(Files.exists(Path.of("/usr/bin/dig")), "needs dig, of Debian's dnsutils");
        var mesh = new Mesh()
                .service("ns1", "web.ns1.svc.cluster.local", "nw1/9.9.9.9", "nw1/fd00::9")
                .service("ns1", "www.example.com", "nw1/1.1.1.1")
                .service("ns1", "many.ns1.svc.cluster.local");
        IntStream.range(0, 200)
                .forEach(i -> mesh.pod("ns1", "m" + i, List.of("ns1/many.ns1.svc.cluster.local"), "20.0.0." + i));
        var view = mesh.view();
        var sockets = new OwnSockets(SocketConfig.PLAIN);
        server = new FakeNameServer(
                loops.loop(),
                sockets,
                ANY_PORT,
                bytes -> Optional.of(Messages.answer(bytes, 0, 60, List.of("5.5.5.5"))));
        var conf = new ResolvConf(List.of(server.address()), List.of());
        var client = Optional.of(Mesh.workload("ns1", "client", List.of(), "40.0.0.1"));
        proxy = DnsProxy.start(
                new DnsProxy.Setup(
                        loops.loop(),
                        sockets,
                        () -> view,
                        (_, then) -> then.accept(client),
                        () -> conf,
                        DnsConfig.of("cluster.local"),
                        DnsObserver.NONE,
                        timeline,
                        new SecureRandom()),
                List.of(ANY_PORT));
    }

    @AfterEach
    void stop() {
        if (proxy != null) {
            proxy.close();
            server.close();
        }
        timeline.close();
        loops.close();
    }

    private String dig(String... words) {
        var command = new ArrayList<>(List.of(
                "dig",
                "@127.0.0.1",
                "-p",
                String.valueOf(proxy.addresses().getFirst().port()),
                "+tries=1"));
        command.addAll(List.of(words));
        return TestNamespace.execute(command);
    }

    @Test
    void givenNameOfMesh_thenDigUnderstandsTheAnswer() {
        var output = dig("web.ns1.svc.cluster.local");
        assertThat(output)
                .contains("status: NOERROR", "flags: qr aa rd ra;", "EDNS: version: 0, flags:; udp: 1232")
                .containsPattern("web\\.ns1\\.svc\\.cluster\\.local\\.\\s+30\\s+IN\\s+A\\s+9\\.9\\.9\\.9")
                .doesNotContain("malformed", "extra bytes");
        assertThat(dig("+short", "+tcp", "web", "AAAA")).isEqualTo("fd00::9\n");
        assertThat(dig("+noedns", "web")).contains("9.9.9.9").doesNotContain("EDNS", "malformed");
    }

    @Test
    void givenSearchDomain_thenDigFollowsTheAlias() {
        assertThat(dig("+noall", "+answer", "www.example.com.ns1.svc.cluster.local"))
                .containsPattern(
                        "www\\.example\\.com\\.ns1\\.svc\\.cluster\\.local\\.\\s+30\\s+IN\\s+CNAME\\s+www\\.example\\.com\\.")
                .containsPattern("www\\.example\\.com\\.\\s+30\\s+IN\\s+A\\s+1\\.1\\.1\\.1");
    }

    @Test
    void givenManyAddresses_thenDigFallsBackToTcp() {
        var output = dig("many");
        assertThat(output).contains("Truncated, retrying in TCP mode", "ANSWER: 200");
        assertThat(dig("+noedns", "+ignore", "many")).contains("flags: qr aa tc rd ra;");
    }

    @Test
    void givenUnknownNames_thenForwarded() {
        assertThat(dig("+short", "elsewhere.example.net")).isEqualTo("5.5.5.5\n");
        assertThat(dig("_http._tcp.example.net", "SRV")).contains("status: NOERROR");
        assertThat(server.asked).hasSize(2);
    }
}
