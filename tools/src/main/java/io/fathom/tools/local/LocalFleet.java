// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.tools.query.FathomdClient;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/// The management server of several clusters on one machine. Any thread.
final class LocalFleet {
    private static final int USUAL_PORT = 9900;
    private static final int USUAL_HTTP_PORT = 9901;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final EngineConfig config;
    private final int port;
    private final FathomdClient client;

    private LocalFleet(EngineConfig config, int port, FathomdClient client) {
        this.config = config;
        this.port = port;
        this.client = client;
    }

    /// Starts the server, and does not wait for it.
    static LocalFleet start(EngineConfig config) throws IOException {
        var free = new FreePorts(List.of("127.0.0.1"));
        var port = free.next(USUAL_PORT);
        var http = free.next(USUAL_HTTP_PORT);
        var run = config.run();
        var _ = Programs.start(
                config,
                "fathom-fleet",
                List.of(
                        "" + config.bin().resolve("fathom-fleet"),
                        "--state-dir=" + run.fleet(),
                        "--listen-address=127.0.0.1",
                        "--port=" + port,
                        "--http-port=" + http),
                Map.of());
        Files.writeString(run.fleetPort(), http + "\n");
        return new LocalFleet(config, port, FathomdClient.of("localhost:" + http));
    }

    /// Starts the agents of all clusters, each with a token of its own.
    void join(List<Engine> engines) {
        if (!Engine.waitFor(PATIENCE, this::isReady)) {
            throw new ProblemException(Problem.ofInput(
                    "no-fleet-server",
                    "the management server does not answer",
                    "see why: " + config.run().up() + " logs fathom-fleet"));
        }
        for (var engine : engines) {
            var id = engine.config().role().orElseThrow().id();
            engine.joinFleet(
                    "127.0.0.1:" + port,
                    client.act("/fleet/token?cluster=" + id).path("token").asText());
        }
    }

    private boolean isReady() {
        try {
            return client.text("/ready").startsWith("ready");
        } catch (ProblemException _) {
            return false; // starts
        }
    }
}
