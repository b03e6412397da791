package io.fathom.verify.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.wire.hbone.HboneFailure;
import java.util.HashSet;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What goes through a waypoint, and what does not.
@Tag("slow")
@Tag("interop")
class WaypointIT {
    private static WaypointLab lab;
    private static LabEnvoy envoy;
    private static Caller caller;
    private static EchoPod one;
    private static EchoPod two;

    @BeforeAll
    static void start() throws Exception {
        lab = new WaypointLab();
        lab.service(
                "echo",
                1,
                "[{name: http, port: 80, targetPort: 8080}, {name: tcp-db, port: 9000}, {name: any, port: 7000}]");
        one = lab.pod("echo-1", "{app: echo}");
        two = lab.pod("echo-2", "{app: echo}");
        envoy = lab.start().ready();
        caller = lab.caller("client");
    }

    @AfterAll
    static void stop() throws Exception {
        lab.close();
    }

    @Test
    void givenTwoPods_whenTheirServiceIsCalled_thenBothAnswer() {
        var seen = new HashSet<String>();
        Awaitility.await().until(() -> {
            seen.add(pod(caller.get(lab.vip(1) + ":80", "/")));
            return seen.equals(Set.of("echo-1", "echo-2"));
        });
    }

    @Test
    void givenUnknownAddress_whenCalled_thenTunnelIsRefusedAndLogged() {
        assertThat(caller.refusal(lab.vip(99) + ":80"))
                .isInstanceOfSatisfying(
                        HboneFailure.Refused.class,
                        refused -> assertThat(refused.status()).isEqualTo(503));
        Awaitility.await().until(() -> envoy.log().contains("not served here: authority=" + lab.vip(99) + ":80"));
    }

    private static String pod(String answer) {
        assertThat(answer).startsWith("HTTP/1.1 200");
        return answer.lines()
                .filter(line -> line.startsWith("x-pod: "))
                .map(line -> line.substring(7))
                .findFirst()
                .orElseThrow();
    }
}
