// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import io.fathom.verify.lab.LabPod;
import io.fathom.verify.lab.MeshLab;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;

/// Clients in a pod that ask one thing after the other, with connections of their own for each request and with kept
/// ones. Tells whether answers come through a waypoint, and which requests failed.
final class SteadyRequests implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /// The way that new connections take.
    enum Way {
        DIRECT,
        WAYPOINT
    }

    /// A line for each new connection that takes another way than the one before, and for each failure.
    private static final String PROGRAM = """
            import http.client, os, sys, threading, time
            url, sign, clients = sys.argv[1], sys.argv[2], int(sys.argv[3])
            lock, counts = threading.Lock(), {"good": 0, "bad": 0}
            def say(*words):
                with lock: print(*words, flush=True)
            def work(number, keep):
                connection, way = None, ""
                while os.path.exists(sign):
                    try:
                        if not connection or not keep:
                            connection = http.client.HTTPConnection(url, timeout=10)
                        connection.request("GET", "/")
                        answer = connection.getresponse()
                        answer.read()
                        if answer.status != 200: raise Exception("status %d" % answer.status)
                        now = "WAYPOINT" if answer.getheader("x-envoy-upstream-service-time") else "DIRECT"
                        if not keep: connection.close()
                        with lock: counts["good"] += 1
                        if now != way and not keep: say("WAY", number, now)
                        way = now
                    except Exception as e:
                        with lock: counts["bad"] += 1
                        say("BAD", "kept" if keep else "new", time.strftime("%H:%M:%S"), repr(e))
                        connection = None
                    time.sleep(0.002)
            threads = [threading.Thread(target=work, args=(i, i % 2 == 1)) for i in range(clients)]
            for t in threads: t.start()
            for t in threads: t.join()
            say("END", counts["good"], counts["bad"])
            """;

    private static final int CLIENTS = 4;

    private final Path sign;
    private final Path log;
    private final Process process;

    SteadyRequests(MeshLab lab, LabPod client, String address) {
        try {
            var folder = lab.folder("load");
            sign = Files.writeString(folder.resolve("on"), "");
            log = folder.resolveSibling("requests.log");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        process = lab.run(
                client,
                "requests",
                List.of("python3", "-c", PROGRAM, address, sign.toString(), Integer.toString(CLIENTS)));
    }

    /// Waits until all new connections take that way.
    void await(Way way) {
        Awaitility.await(way.toString())
                .atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> ways().stream().filter(way.toString()::equals).count() == CLIENTS / 2);
    }

    /// Waits for some more connections.
    void more() {
        Awaitility.await().pollDelay(Duration.ofMillis(100)).atMost(PATIENCE).until(process::isAlive);
    }

    /// The latest way of each client with new connections.
    private List<String> ways() {
        return lines().stream()
                .filter(line -> line.startsWith("WAY "))
                .map(line -> line.split(" ", -1))
                .collect(Collectors.toMap(words -> words[1], words -> words[2], (_, later) -> later))
                .values()
                .stream()
                .toList();
    }

    private List<String> lines() {
        try {
            return Files.readAllLines(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    List<String> failures() {
        return lines().stream().filter(line -> line.startsWith("BAD")).toList();
    }

    /// Ends it; how many requests were answered.
    int end() {
        try {
            Files.deleteIfExists(sign);
            process.onExit().join();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return lines().stream()
                .filter(line -> line.startsWith("END"))
                .mapToInt(line -> Integer.parseInt(line.split(" ", -1)[1]))
                .sum();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
