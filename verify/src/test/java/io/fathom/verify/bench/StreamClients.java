// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.bench;

import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.wire.xds.AdsConfig;
import io.fathom.wire.xds.AdsServer;
import io.fathom.wire.xds.XdsObserver;
import io.fathom.wire.xds.store.ResourceStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.concurrent.locks.LockSupport;

/// The clients of a benchmark, in a process of their own so that they cost the server no heap.
///
/// Takes the server's port and the number of resources it serves; then obeys lines on its input: `sync` opens a stream,
/// waits until it has everything and closes it; `open N` opens N streams that stay; `report` tells what they saw since
/// `reset`. Each is answered by one line. Both processes read the same monotonic clock.
public final class StreamClients {
    private static final byte[] STAMP = LargeMesh.STAMP.getBytes(StandardCharsets.US_ASCII);

    private static final LargeMesh REHEARSAL = new LargeMesh(2_000, 200);

    private final int port;
    private final long served;
    private volatile Latencies latencies = new Latencies();
    private final ArrayList<RawStream> streams = new ArrayList<>();

    private StreamClients(int port, long served) {
        this.port = port;
        this.served = served;
    }

    public static void main(String[] args) throws IOException {
        rehearse();
        var clients = new StreamClients(Integer.parseInt(args[0]), Long.parseLong(args[1]));
        try (var commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (var line = commands.readLine(); line != null; line = commands.readLine()) {
                System.out.println(clients.obey(line));
            }
        }
        System.exit(0);
    }

    /// Warms the clients up on a server of their own, so that what they measure is the other process alone.
    private static void rehearse() {
        var mesh = new AmbientMesh(AmbientConfig.defaults());
        var store = new ResourceStore(InstantSource.system());
        mesh.subscribe(new Publisher(mesh, store));
        mesh.apply(REHEARSAL.manifests());
        var config = AdsConfig.DEFAULT.withHost("127.0.0.1").withPlaintextPort(0);
        try (var server = AdsServer.start(config, store, XdsObserver.NONE, InstantSource.system())) {
            var clients =
                    new StreamClients(server.plaintextPort().orElseThrow(), REHEARSAL.pods() + REHEARSAL.services());
            for (var i = 0; i < 5; i++) {
                clients.sync();
            }
        }
    }

    private String obey(String command) {
        var words = command.split(" ", -1);
        return switch (words[0]) {
            case "sync" -> Double.toString(sync());
            case "open" -> Double.toString(open(Integer.parseInt(words[1])));
            case "reset" -> {
                latencies = new Latencies();
                yield "ok";
            }
            case "report" ->
                "%d %.2f %.2f %.2f"
                        .formatted(
                                latencies.count(),
                                latencies.millisAt(0.5),
                                latencies.millisAt(0.99),
                                latencies.millisAt(1));
            default -> "unknown command " + command;
        };
    }

    /// Milliseconds until one new stream has everything.
    private double sync() {
        var begun = System.nanoTime();
        try (var stream = RawStream.open(port, 0, (_, _) -> {})) {
            await(stream);
            return (System.nanoTime() - begun) / 1e6;
        }
    }

    /// Milliseconds until so many new streams have everything.
    private double open(int count) {
        var begun = System.nanoTime();
        for (var i = 0; i < count; i++) {
            streams.add(RawStream.open(port, i + 1, this::readStamps));
        }
        streams.forEach(this::await);
        return (System.nanoTime() - begun) / 1e6;
    }

    private void await(RawStream stream) {
        while (stream.resources() < served) {
            LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
        }
    }

    /// Finds the stamps without decoding the resources around them.
    private void readStamps(byte[] response, int resources) {
        var now = System.nanoTime();
        if (resources > 1000) {
            return; // the first answer has none
        }
        for (var i = 0; i + STAMP.length < response.length; i++) {
            if (response[i] == STAMP[0] && matches(response, i)) {
                var nanos = 0L;
                for (i += STAMP.length; i < response.length && response[i] >= '0' && response[i] <= '9'; i++) {
                    nanos = nanos * 10 + (response[i] - '0');
                }
                latencies.add(now - nanos);
            }
        }
    }

    private static boolean matches(byte[] bytes, int from) {
        for (var i = 1; i < STAMP.length; i++) {
            if (bytes[from + i] != STAMP[i]) {
                return false;
            }
        }
        return true;
    }
}
