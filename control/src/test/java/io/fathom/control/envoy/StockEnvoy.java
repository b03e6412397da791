// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.envoyproxy.envoy.config.bootstrap.v3.Admin;
import io.envoyproxy.envoy.config.bootstrap.v3.Bootstrap;
import io.envoyproxy.envoy.config.core.v3.Address;
import io.envoyproxy.envoy.config.core.v3.SocketAddress;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;

/// A stock Envoy that runs what a test gives it, on loopback. Its log is in the folder of the test.
///
/// Listeners may have port 0: [#port] tells what they got.
public final class StockEnvoy implements AutoCloseable {
    private static final AtomicInteger NEXT = new AtomicInteger();

    private final Process process;
    private final Path log;
    private final String admin;
    private final HttpClient client = HttpClient.newHttpClient();

    private StockEnvoy(Process process, Path log, String admin) {
        this.process = process;
        this.log = log;
        this.admin = admin;
    }

    /// Where the program is; the test is skipped, and says why, when it is not there.
    public static Path program() {
        var cache = Optional.ofNullable(System.getenv("FATHOM_CACHE"))
                .map(Path::of)
                .orElseGet(() -> Path.of(System.getProperty("user.home"), ".cache", "fathom"));
        var path = cache.resolve("peers", "bin", "envoy");
        assumeTrue(Files.isExecutable(path), () -> "skipped: no " + path + "; run verify/peers/install envoy");
        return path;
    }

    /// Starts it and waits until it serves. Fails with the end of its log when it refuses the configuration.
    ///
    /// @param folder for its files, such as a temporary one of the test
    public static StockEnvoy start(Path folder, Bootstrap bootstrap) throws IOException {
        var number = NEXT.incrementAndGet();
        var config = folder.resolve("envoy-" + number + ".pb");
        var address = folder.resolve("envoy-" + number + ".admin");
        var log = folder.resolve("envoy-" + number + ".log");
        var anyPort = SocketAddress.newBuilder().setAddress("127.0.0.1").setPortValue(0);
        var whole = bootstrap.toBuilder()
                .setAdmin(Admin.newBuilder().setAddress(Address.newBuilder().setSocketAddress(anyPort)))
                .build();
        Files.write(config, whole.toByteArray());
        var process = new ProcessBuilder(
                        program().toString(),
                        "-c",
                        config.toString(),
                        "--admin-address-path",
                        address.toString(),
                        "--disable-hot-restart",
                        "--concurrency",
                        "1",
                        "--file-flush-interval-msec",
                        "100",
                        "--log-level",
                        "info")
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            Awaitility.await("Envoy's admin port")
                    .atMost(Duration.ofSeconds(60))
                    .failFast(() -> assertRuns(process, log))
                    .until(() -> Files.exists(address) && Files.size(address) > 0);
            var envoy = new StockEnvoy(
                    process, log, "http://" + Files.readString(address).strip());
            Awaitility.await("Envoy to be ready")
                    .atMost(Duration.ofSeconds(60))
                    .ignoreExceptionsInstanceOf(IOException.class) // it may end meanwhile, and then says why
                    .failFast(() -> assertRuns(process, log))
                    .until(() -> envoy.admin("/ready").equals("LIVE\n"));
            return envoy;
        } catch (RuntimeException e) {
            process.destroyForcibly();
            throw e;
        }
    }

    /// What a page of its admin port says.
    public String admin(String path) throws IOException {
        return ask(HttpRequest.newBuilder(URI.create(admin + path)).build());
    }

    /// For pages that change something.
    public String post(String path) throws IOException {
        return ask(HttpRequest.newBuilder(URI.create(admin + path))
                .POST(HttpRequest.BodyPublishers.noBody())
                .build());
    }

    private String ask(HttpRequest request) throws IOException {
        try {
            return client.send(request, BodyHandlers.ofString()).body();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    /// The port of a listener that asked for any.
    public int port(String listener) throws IOException {
        return admin("/listeners")
                .lines()
                .filter(line -> line.startsWith(listener + "::"))
                .map(line -> Integer.parseInt(line.substring(line.lastIndexOf(':') + 1)))
                .findFirst()
                .orElseThrow(() -> new IOException("Envoy has no listener " + listener));
    }

    /// The value of a counter or gauge; 0 when it is not there.
    public long stat(String name) throws IOException {
        return admin("/stats?usedonly&filter=%5E" + name.replace("|", "%5C%7C").replace(".", "%5C.") + "$")
                .lines()
                .map(line -> line.substring(line.lastIndexOf(' ') + 1))
                .mapToLong(Long::parseLong)
                .findFirst()
                .orElse(0);
    }

    /// What it has written so far.
    public List<String> log() throws IOException {
        return Files.readAllLines(log);
    }

    private static void assertRuns(Process process, Path log) {
        if (!process.isAlive()) {
            throw new IllegalStateException("Envoy ended:\n" + tail(log));
        }
    }

    private static String tail(Path log) {
        try {
            var lines = Files.readAllLines(log);
            return String.join("\n", lines.subList(Math.max(0, lines.size() - 30), lines.size()));
        } catch (IOException e) {
            return e.toString();
        }
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
