// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The images of this build: unpacked, looked at and started where nothing of this machine is around.
@Tag("slow")
@Tag("alone")
@Timeout(900)
class ImagesIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long MEGABYTE = 1_000_000;

    @TempDir
    static Path folder = Path.of("unset");

    private static JsonNode config = JSON.missingNode();
    private static String digest = "";

    @BeforeAll
    static void make() throws IOException, InterruptedException {
        assumeTrue(
                Files.exists(Charts.ROOT.resolve("app/target/fathom.jar")),
                "the programs are not built: run Maven's phase verify, or bin/lib/build");
        digest = image(folder.resolve("images"));
        config = unpack(folder.resolve("images/fathomd.tar"), folder.resolve("root"));
    }

    @Test
    void givenTheSameInput_thenTheSameDigest() throws IOException, InterruptedException {
        assertThat(image(folder.resolve("again"))).isEqualTo(digest);
    }

    @Test
    void whenLookedAt_thenSmallAndForAUserWithoutRights() throws IOException {
        assertThat(config.path("User").asText()).isEqualTo("1337:1337");
        assertThat(config.at("/Labels/org.opencontainers.image.version").asText())
                .isNotEmpty();
        assertThat(Files.size(folder.resolve("images/fathomd.tar"))).isLessThan(220 * MEGABYTE);
        assertThat(Files.exists(folder.resolve("root/bin/sh"))).isFalse();
    }

    @Test
    void whenAskedWhatItIsMadeOf_thenLibrariesAndPackagesAreListed() throws IOException {
        var bill = JSON.readTree(
                folder.resolve("root/usr/share/sbom/fathomd.cdx.json").toFile());
        assertThat(bill.path("bomFormat").asText()).isEqualTo("CycloneDX");
        var purls = StreamSupport.stream(bill.path("components").spliterator(), false)
                .map(component -> component.path("purl").asText())
                .toList();
        assertThat(purls)
                .anyMatch(purl -> purl.startsWith("pkg:maven/io.netty/netty-handler@"))
                .anyMatch(purl -> purl.startsWith("pkg:deb/debian/libc6@"))
                .anyMatch(purl -> purl.startsWith("pkg:generic/openjdk@25"));
        assertThat(bill.toString())
                .isEqualTo(
                        JSON.readTree(folder.resolve("images/fathomd.cdx.json").toFile())
                                .toString());
    }

    @Test
    void whenStarted_thenFromItsCacheAndWithTheFlagsOfThisCheckout() throws IOException, InterruptedException {
        assumeTrue("root".equals(System.getProperty("user.name")), "skipped: only root can change the root folder");
        // With "on" the JVM does not start without its cache.
        assertThat(inside(
                        folder.resolve("root"),
                        "/opt/java/bin/java",
                        "-XX:AOTMode=on",
                        "@/opt/fathom/fathomd.args",
                        "--version"))
                .startsWith("fathomd ");
        var flags = Files.readString(folder.resolve("root/opt/fathom/fathomd.args"));
        assertThat(flags)
                .contains("-XX:+UseSerialGC", "-XX:+UseCompactObjectHeaders", "-XX:AOTCache=/opt/fathom/fathomd.aot");
    }

    /// Seed 000, line 452: `kubectl exec ds/ztunnel -- curl`. All images have it in the same way.
    @Test
    void givenNoShell_thenCurlRunsAndPrintsThePageAlone() throws IOException, InterruptedException {
        assumeTrue("root".equals(System.getProperty("user.name")), "skipped: only root can change the root folder");
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/config_dump", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write("a dump".getBytes(StandardCharsets.UTF_8));
            exchange.close();
        });
        server.start();
        try {
            var page = "localhost:" + server.getAddress().getPort() + "/config_dump";
            assertThat(inside(folder.resolve("root"), "/usr/bin/curl", "-s", page))
                    .isEqualTo("a dump");
        } finally {
            server.stop(0);
        }
    }

    @Test
    void givenTheImageOfProxies_thenCompanionAndEnvoyStartWithoutRights() throws IOException, InterruptedException {
        assumeTrue("root".equals(System.getProperty("user.name")), "skipped: only root can change the root folder");
        assertThat(image(folder.resolve("images"), "proxy")).isNotEmpty();
        var root = folder.resolve("proxy");
        var proxy = unpack(folder.resolve("images/proxy.tar"), root);
        assertThat(proxy.path("User").asText()).isEqualTo("1337:1337");
        var java = proxy.path("Entrypoint").get(0).asText();
        var arguments = proxy.path("Entrypoint").get(1).asText();
        assertThat(inside(root, java, "-XX:AOTMode=on", arguments, "version")).startsWith("fathom-proxy ");
        assertThat(inside(root, "/usr/local/bin/envoy", "--version")).contains("/1.40.");
    }

    private static String inside(Path root, String... words) throws IOException, InterruptedException {
        var script = "mount -t proc proc \"$0/proc\" && exec chroot --userspec=1337:1337 \"$0\" \"$@\"";
        Files.createDirectories(root.resolve("proc"));
        var command = new ArrayList<>(List.of("unshare", "--mount", "--", "sh", "-c", script, root.toString()));
        command.addAll(List.of(words));
        return run(command);
    }

    private static String image(Path out) throws IOException, InterruptedException {
        return image(out, "fathomd");
    }

    private static String image(Path out, String name) throws IOException, InterruptedException {
        return run(List.of(Charts.ROOT.resolve("bin/image").toString(), "--out", out.toString(), name))
                .lines()
                .filter(line -> line.startsWith("localhost/" + name + ":"))
                .findFirst()
                .orElseThrow();
    }

    /// Puts all layers into a folder and returns how the image wants to be run.
    private static JsonNode unpack(Path tar, Path root) throws IOException, InterruptedException {
        var blobs = folder.resolve("blobs");
        Files.createDirectories(blobs);
        Files.createDirectories(root);
        run(List.of("tar", "--extract", "--file", tar.toString(), "--directory", blobs.toString()));
        var index = JSON.readTree(blobs.resolve("index.json").toFile());
        var manifest = blob(blobs, index.at("/manifests/0/digest").asText());
        for (var layer : JSON.readTree(manifest.toFile()).path("layers")) {
            var file = blob(blobs, layer.path("digest").asText()).toString();
            run(List.of("tar", "--extract", "--preserve-permissions", "--file", file, "--directory", root.toString()));
        }
        for (var place : List.of(folder, root)) { // for users without rights
            assertThat(place.toFile().setReadable(true, false) && place.toFile().setExecutable(true, false))
                    .isTrue();
        }
        var image = blob(
                blobs, JSON.readTree(manifest.toFile()).at("/config/digest").asText());
        return JSON.readTree(image.toFile()).path("config");
    }

    private static Path blob(Path blobs, String digest) {
        return blobs.resolve("blobs").resolve(digest.replace(':', '/'));
    }

    private static String run(List<String> command) throws IOException, InterruptedException {
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("FATHOM_BUILD", "skip");
        builder.environment().remove("JDK_JAVA_OPTIONS");
        var process = builder.start();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as("%s: %s", command, output).isZero();
        return output;
    }
}
