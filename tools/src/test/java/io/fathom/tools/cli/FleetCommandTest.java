// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class FleetCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private HttpServer server;

    @TempDir
    private Path folder;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        page("/debug/fleetz", "{\"clusters\": []}");
        page("/fleet/token", "{\"token\": \"fjt1.a.b.c\", \"port\": 9900, \"lifetimeSeconds\": 3600}");
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private void page(String path, String body) {
        server.createContext(path, exchange -> {
            var bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
    }

    private int run(String path, String line) {
        var environment = Map.of(
                "PATH",
                path,
                "HOME",
                folder.toString(),
                "FATHOM_FLEET",
                "127.0.0.1:" + server.getAddress().getPort());
        return Fathomctl.run(
                ("fleet " + line).strip().split(" ", -1),
                environment,
                "test",
                new PrintWriter(out, true),
                new PrintWriter(err, true));
    }

    static Stream<Arguments> mistakes() {
        return Stream.of(
                argumentSet("nothing to do", "", "give init, join, token"),
                argumentSet("a word that is none", "joi west", "did you mean join?"),
                argumentSet("no cluster", "join", "write fathomctl fleet join CLUSTER"),
                argumentSet("no charts", "init --charts /nowhere", "--charts DIR"),
                argumentSet("no kubectl", "join west --server-context mgmt", "install kubectl"),
                argumentSet("no address for agents", "join west", "name it with --server HOST:9900"),
                argumentSet("no cluster to install into", "join west --server s:9900", "kubeconfig"),
                argumentSet("another format", "join west -o yaml", "give table or json"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void givenAMistake_thenSaysSoWithAFix(String line, String want) {
        assertThat(run("/nowhere", line)).isNotZero();
        assertThat(err.toString()).contains(want).contains("fix: ");
    }

    @Test
    void givenTheContextOfTheServer_thenItIsReachedThroughIt_asLongAsTheCommandRuns() throws IOException {
        kubectl("echo Forwarding from 127.0.0.1:" + server.getAddress().getPort() + " -\\> 9901; exec cat");

        assertThat(run(folder + ":/bin:/usr/bin", "join west --server-context mgmt --server s:9900 --manifests m"))
                .isZero();
        assertThat(out.toString())
                .contains("✔ Token for west made")
                .contains("fathom-agent --server s:9900 --cluster-id west --state-dir agent-west --manifests m --output"
                        + " m/fleet --token fjt1.a.b.c");
    }

    @Test
    void givenNoServerInThatCluster_thenWhatKubectlSaysIsTold() throws IOException {
        kubectl("echo 'Error from server (NotFound): deployments.apps \"fathom-fleet\" not found' >&2; exit 1");

        assertThat(run(folder + ":/bin:/usr/bin", "join west --server-context mgmt"))
                .isNotZero();
        assertThat(err.toString()).contains("\"fathom-fleet\" not found", "fathomctl fleet init");
    }

    private void kubectl(String script) throws IOException {
        var file = folder.resolve("kubectl");
        Files.writeString(file, "#!/bin/sh\n" + script + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }
}
