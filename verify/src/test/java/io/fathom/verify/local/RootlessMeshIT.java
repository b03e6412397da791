// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("slow")
@Tag("alone")
@Timeout(300)
class RootlessMeshIT {
    private static final List<String> AS_NOBODY = List.of(
            "setpriv",
            "--reuid=65534",
            "--regid=65534",
            "--clear-groups",
            "env",
            "HOME=/tmp",
            "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");

    @Test
    void givenNobody_thenAMeshRunsInNamespacesOfItsOwn_andLeavesNothing() throws Exception {
        assumeTrue(isAllowed("unshare", "--user", "--map-root-user", "--net", "true"), "no namespaces for users here");
        assumeTrue(
                isAllowed(
                                "test",
                                "-r",
                                LocalMesh.ROOT.resolve("app/target/fathom.jar").toString())
                        && isAllowed(
                                Path.of(System.getProperty("java.home"), "bin/java")
                                        .toString(),
                                "-version"),
                "the programs are out of reach for other users");
        var before = Machine.now();
        try (var mesh = LocalMesh.createFor(AS_NOBODY)) {
            var refused = mesh.start();
            assertThat(refused.code()).isEqualTo(1);
            assertThat(refused.out()).contains("sudo bin/up", "bin/up --rootless");

            var started = mesh.start("--rootless");
            assertThat(started.code()).as(started.out()).isZero();
            assertThat(started.out()).contains("the first request over mutual TLS was answered");
            assertThat(mesh.exec("visitor", "curl", "-sm", "20", "http://storefront.shop/")
                            .out())
                    .contains("catalog");
            assertThat(mesh.up("status").out()).contains("enabled");
            assertThat(started.out())
                    .contains("bin/up --run-dir " + mesh.run() + " status")
                    .doesNotContain("From this machine");
            if (started.out().contains("198.19.0.101")) { // with Envoy there is an ingress
                assertThat(started.out()).contains(" exec fathomd -- curl -si http://198.19.0.101/");
                assertThat(mesh.exec("fathomd", "curl", "-sim", "20", "http://198.19.0.101/")
                                .out())
                        .startsWith("HTTP/1.1 200");
            }
            assertThat(mesh.up("fathomctl", "get", "services", "-n", "shop").out())
                    .contains("storefront");
            assertThat(Machine.now()).as("the machine itself").isEqualTo(before);

            assertThat(mesh.up("down").out()).contains("nothing is left");
            assertThat(mesh.run()).doesNotExist();
            assertThat(Machine.hasMounts(mesh.run())).isFalse();
            assertThat(Machine.processes(mesh.run())).isEmpty();
        }
    }

    private static boolean isAllowed(String... command) throws IOException, InterruptedException {
        var line = new ArrayList<>(AS_NOBODY);
        line.addAll(List.of(command));
        return new ProcessBuilder(line)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .waitFor()
                == 0;
    }
}
