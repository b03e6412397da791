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
import java.util.regex.Pattern;
import org.awaitility.Awaitility;

/// A client in a pod that makes a new connection every 15 ms, whether or not those before have been answered.
final class NewConnections implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Pattern END = Pattern.compile("END answered (\\d+) refused (\\d+) lost (\\d+) longest (\\d+)");

    private static final String PROGRAM = """
            import os, sys, threading, time, urllib.request
            url, sign = sys.argv[1], sys.argv[2]
            lock, counts, longest, room = threading.Lock(), {"answered": 0, "refused": 0, "lost": 0}, 0, threading.Semaphore(2000)
            def ask():
                global longest
                begun = time.monotonic()
                try:
                    urllib.request.urlopen(url, timeout=50).read()
                    outcome = "answered"
                except Exception as e:
                    outcome = "refused" if "refused" in repr(e) else "lost"
                    print("BAD", outcome, repr(e), flush=True)
                with lock:
                    counts[outcome] += 1
                    if outcome == "answered": longest = max(longest, time.monotonic() - begun)
                    if outcome == "answered" and counts[outcome] % 10 == 0: print("TEN", flush=True)
                room.release()
            threads = []
            while os.path.exists(sign):
                room.acquire()
                threads.append(threading.Thread(target=ask))
                threads[-1].start()
                time.sleep(0.015)
            for t in threads: t.join()
            print("END", *(word for pair in counts.items() for word in pair), "longest", int(1000 * longest), flush=True)
            """;

    private final Path sign;
    private final Path log;
    private final Process process;

    /// @param refused that could not connect
    /// @param lost that were connected and got no answer
    /// @param longestMillis until an answer
    record Outcome(int answered, int refused, int lost, int longestMillis) {}

    NewConnections(MeshLab lab, LabPod client, String url) {
        try {
            var folder = lab.folder("new-connections");
            sign = Files.writeString(folder.resolve("on"), "");
            log = folder.resolveSibling("connections.log");
            Files.deleteIfExists(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        process = lab.run(client, "connections", List.of("python3", "-c", PROGRAM, url, sign.toString()));
    }

    /// So many more than now.
    void awaitAnswers(int count) {
        var wanted = tens() + count / 10;
        Awaitility.await().atMost(PATIENCE).until(() -> tens() >= wanted);
    }

    private long tens() {
        return lines().stream().filter("TEN"::equals).count();
    }

    private List<String> lines() {
        try {
            return Files.exists(log) ? Files.readAllLines(log) : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Makes no more, and waits for those that are under way.
    Outcome end() {
        try {
            Files.deleteIfExists(sign);
            process.onExit().join();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        var end = END.matcher(lines().getLast());
        if (!end.matches()) {
            throw new IllegalStateException("the client ended early: " + lines());
        }
        return new Outcome(
                Integer.parseInt(end.group(1)),
                Integer.parseInt(end.group(2)),
                Integer.parseInt(end.group(3)),
                Integer.parseInt(end.group(4)));
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
