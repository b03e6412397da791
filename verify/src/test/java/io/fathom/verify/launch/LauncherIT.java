// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
@Tag("slow")
@Tag("alone")
class LauncherIT {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern READY = Pattern.compile(" ready .*\\bhttp=(\\d+)");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private record Result(int code, String out, String err) {}

    @BeforeEach
    void needPrograms() {
        assumeTrue(
                Files.exists(ROOT.resolve("app/target/fathom.jar")),
                "the programs are not built: run Maven's phase verify, or bin/lib/build");
    }

    @Test
    void whenUpIsChecked_thenItTellsWhatIsServedAndWhereToLook() throws Exception {
        var result = run("bin/up", "--check");

        assertThat(result.err()).isEmpty();
        assertThat(result.code()).isZero();
        assertThat(result.out())
                .contains("Serving ", " workloads, ", " services and ")
                .contains("/debug/ambientz", "bin/fathomctl", "grpcurl");
    }

    @Test
    void givenABrokenManifest_whenUpIsChecked_thenItSaysWhereAndFails() throws Exception {
        Files.writeString(folder.resolve("bad.yaml"), "apiVersion: v1\nkind: Pod\nmetadata: {namespace: a}\n");

        var result = run("bin/up", "--check", "--manifests", folder.toString());

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.out()).contains("Serving 0 workloads").contains("bad.yaml:");
    }

    @Test
    void givenACommandOfUpThatMakesNoSense_thenCode2AndTheUsage() throws Exception {
        for (var line : List.of("--fly", "fly", "--run-dir", "exec visitor ls", "exec visitor --", "status now")) {
            var command = new ArrayList<>(List.of("bin/up"));
            command.addAll(List.of(line.split(" ", -1)));

            var result = run(command.toArray(String[]::new));

            assertThat(result.code()).as(line).isEqualTo(2);
            assertThat(result.err()).as(line).startsWith("bin/up: ").contains("bin/up down ");
            assertThat(result.out()).as(line).isEmpty();
        }
    }

    @Test
    void whenHelpIsAskedFor_thenEveryPartOfItIsThere() throws Exception {
        var result = run("bin/fathomd", "--help");

        assertThat(result.code()).isZero();
        assertThat(result.out())
                .contains("--manifests", "--trust-domain", "CLUSTER_ID", "AMBIENT_ENABLE_MULTI_NETWORK");
    }

    @Test
    void givenWrongFlags_thenCode2AndAFix() throws Exception {
        var port = run("bin/fathomd", "--manifests", folder.toString(), "--tls-port", "high");
        var unknown = run("bin/fathomd", "--manifset", "x");

        assertThat(port.code()).isEqualTo(2);
        assertThat(port.err()).contains("--tls-port: 'high' is not a number", "fix:");
        assertThat(unknown.code()).isEqualTo(2);
        assertThat(unknown.err()).contains("--manifset", "--manifests");
    }

    @Test
    void givenTheNodeProxy_thenItHelpsAndComplains() throws Exception {
        assertThat(run("bin/ztunnel", "help").out()).contains("XDS_ADDRESS", "INPOD_UDS", "ZTUNNEL_WORKER_THREADS");
        assertThat(run("bin/ztunnel", "version").out()).startsWith("ztunnel ");

        var unknown = run("bin/ztunnel", "fly");
        assertThat(unknown.code()).isEqualTo(1);
        assertThat(unknown.err()).contains("'fly'", "fix:");
    }

    @Test
    void givenARunningControlPlane_thenTheToolReadsItAndASignalStopsIt() throws Exception {
        var fathomd = start(
                "bin/fathomd",
                "--manifests",
                ROOT.resolve("verify/src/test/resources/shop").toString(),
                "--listen-address",
                "127.0.0.1",
                "--plaintext-port",
                "0",
                "--tls-port",
                "0",
                "--http-port",
                "0");
        try (var log = fathomd.errorReader()) {
            var address = "127.0.0.1:" + httpPort(log.lines().iterator());

            var services = run("bin/fathomctl", "--fathomd", address, "get", "services", "-n", "shop");
            assertThat(services.code()).isZero();
            assertThat(services.out()).contains("NAMESPACE", "storefront.shop.svc.cluster.local", "waypoint");
            assertThat(run("bin/fathomctl", "--fathomd", address, "version").out())
                    .contains("control plane version: ");

            fathomd.destroy();
            assertThat(fathomd.waitFor(20, TimeUnit.SECONDS)).isTrue();
            assertThat(fathomd.exitValue()).isZero();
            assertThat(run("bin/fathomctl", "--fathomd", address, "version").code())
                    .isEqualTo(1);
        } finally {
            fathomd.destroyForcibly();
        }
    }

    private static String httpPort(Iterator<String> log) {
        var seen = new ArrayList<String>();
        while (log.hasNext()) {
            var line = log.next();
            var ready = READY.matcher(line);
            if (ready.find()) {
                return ready.group(1);
            }
            seen.add(line);
        }
        throw new AssertionError("fathomd ended before it was ready: " + seen);
    }

    private Result run(String... command) throws IOException, InterruptedException {
        var err = Files.createTempFile(folder, "err", ".txt");
        var process = builder(command).redirectError(err.toFile()).start();
        var out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Result(process.waitFor(), out, Files.readString(err));
    }

    private static Process start(String... command) throws IOException {
        return builder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    }

    /// Takes what the running build has made: the scripts must not start a build inside a build.
    private static ProcessBuilder builder(String... command) {
        var builder = new ProcessBuilder(List.of(command)).directory(ROOT.toFile());
        builder.environment().put("FATHOM_BUILD", "skip");
        builder.environment().remove("FATHOMD");
        return builder;
    }
}
