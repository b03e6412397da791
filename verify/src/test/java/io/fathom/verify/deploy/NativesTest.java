// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Native code of libraries is there for both kinds of machines that a mesh runs on, and images have that of one. Only
/// x86_64 is ever started by our tests.
@Timeout(60)
class NativesTest {
    private static final Path LIB = Charts.ROOT.resolve("app/target/lib");

    @TempDir
    Path folder = Path.of("unset");

    @Test
    void givenTheLibraries_thenEachPieceOfNativeCodeIsThereForBothMachines() {
        var natives = new TreeSet<String>();
        libraries().forEach(jar -> natives.addAll(natives(jar)));

        var ours = natives.stream().filter(name -> name.contains("x86_64")).toList();
        assertThat(ours).hasSize(3).anyMatch(name -> name.contains("epoll"));
        assertThat(natives)
                .containsAll(ours.stream()
                        .map(name -> name.replace("x86_64", "aarch_64"))
                        .toList());
    }

    @ParameterizedTest
    @CsvSource({"x86_64, x86_64, aarch", "aarch64, aarch_64, x86"})
    void whenPackedForAnImage_thenOnlyTheMachinesOwnIsKept(String machine, String kept, String left) throws Exception {
        var natives = Files.createDirectories(folder.resolve("native"));
        var out = Files.createDirectories(folder.resolve("lib"));
        var command = new ArrayList<>(List.of(
                "python3",
                "-c",
                "import os, sys, types; os.uname = lambda: types.SimpleNamespace(machine='" + machine + "');"
                        + " sys.argv = sys.argv[1:]; exec(open(sys.argv[0]).read())",
                Charts.ROOT.resolve("deploy/images/jars.py").toString(),
                out.toString(),
                natives.toString()));
        libraries().filter(jar -> !natives(jar).isEmpty()).map(Path::toString).forEach(command::add);

        run(command);

        assertThat(names(natives))
                .hasSize(3)
                .allMatch(name -> name.contains(kept))
                .noneMatch(name -> name.contains(left));
        assertThat(names(out)).noneMatch(name -> name.contains(left));
    }

    @ParameterizedTest
    @CsvSource({"x86_64", "aarch64"})
    void givenAMachine_thenItsEnvoyIsKnownByItsSum(String machine) throws Exception {
        var uname = folder.resolve("uname");
        Files.writeString(uname, "#!/bin/sh\necho " + machine + "\n");
        assertThat(uname.toFile().setExecutable(true)).isTrue();
        var sum = run(List.of(
                "env",
                "PATH=" + folder + ":/usr/bin:/bin",
                Charts.ROOT.resolve("bin/lib/envoy").toString(),
                "--sum"));
        assertThat(Files.readString(Charts.ROOT.resolve("bin/lib/envoy"))).contains(machine + ") sum=" + sum.strip());
        assertThat(sum.strip()).matches("[0-9a-f]{64}");
    }

    private static Stream<Path> libraries() {
        assumeTrue(Files.exists(LIB), "the programs are not built: run Maven's phase verify, or bin/lib/build");
        try (var jars = Files.list(LIB)) {
            return jars
                    .filter(jar -> jar.toString().endsWith(".jar"))
                    .sorted(Comparator.naturalOrder())
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Set<String> natives(Path jar) {
        try (var file = new JarFile(jar.toFile())) {
            var found = new TreeSet<String>();
            file.stream()
                    .map(entry -> entry.getName())
                    .filter(name -> name.startsWith("META-INF/native/") && name.endsWith(".so"))
                    .forEach(found::add);
            return found;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> names(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    private static String run(List<String> command) throws IOException, InterruptedException {
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(text).isZero();
        return text;
    }
}
