// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.tools.args.Program;
import java.io.ByteArrayInputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class InstallCommandsTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    static Stream<Arguments> mistakes() {
        return Stream.of(
                argumentSet("uninstall what", "uninstall", 64, "--purge"),
                argumentSet("two ways", "uninstall --purge -r x", 64, "exclude each other"),
                argumentSet("a word too many", "install now", 64, "what is now?"),
                argumentSet("a bad setting", "install -y --set a", 64, "write PATH=VALUE"),
                argumentSet("an unknown setting", "install -y --set value.x=1", 1, "value: is not known"),
                argumentSet("a bad time", "install -y --readiness-timeout soon", 64, "300s"),
                argumentSet("no such file", "install -y -f nowhere.yaml", 64, "name a file that is there"),
                argumentSet("no helm", "install -y", 1, "the program helm is not on the PATH"),
                argumentSet("no helm for rendering", "manifest generate", 1, "the program helm is not on the PATH"),
                argumentSet("manifest what", "manifest", 64, "manifest generate"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void givenAMistake_thenSaysSoWithAFix(String line, int code, String want) {
        assertThat(run(Map.of("PATH", "/nowhere"), "", line.split(" ", -1))).isEqualTo(code);
        assertThat(err.toString()).contains(want).contains("fix: ");
    }

    @Test
    void givenNoConsent_thenNothingIsDone() {
        assertThat(run(Map.of("PATH", "/nowhere"), "no\n", "install")).isEqualTo(1);
        assertThat(out.toString()).contains("This will install Fathom 9.9 in istio-system. Go on? (y/N)");
        assertThat(err.toString()).contains("nothing was done").contains("add -y");
    }

    @Test
    void givenAnOldHelm_thenRefused(@TempDir Path folder) throws Exception {
        program(folder, "echo v2.17.0");
        assertThat(run(Map.of("PATH", folder.toString()), "", "install", "-y")).isEqualTo(1);
        assertThat(err.toString()).contains("is version v2.17.0").contains("version 3 or later");
    }

    @Test
    void whenHelmRefusesAValue_thenItsWordsAreShown(@TempDir Path folder) throws Exception {
        program(folder, """
                case $1 in
                  version) echo v3.22 ;;
                  template) echo "Error: values don't meet the specifications of the schema: got string" >&2; exit 1 ;;
                esac""");
        Files.createDirectories(folder.resolve("charts/fathom-base"));
        Files.writeString(folder.resolve("charts/fathom-base/Chart.yaml"), "");
        var charts = folder.resolve("charts").toString();
        assertThat(run(Map.of("PATH", folder + ":/bin:/usr/bin"), "", "manifest", "generate", "-d", charts))
                .isEqualTo(1);
        assertThat(err.toString())
                .contains("helm template istio-base: values don't meet")
                .contains("correct the value that is named");
    }

    private static void program(Path folder, String script) throws Exception {
        var file = folder.resolve("helm");
        Files.writeString(file, "#!/bin/sh\n" + script + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private int run(Map<String, String> environment, String typed, String... words) {
        var answers = new ByteArrayInputStream(typed.getBytes(StandardCharsets.UTF_8));
        var commands = new InstallCommands(environment, "9.9", answers).commands();
        return new Program("fathomctl", "", List.of(), commands)
                .run(words, new PrintWriter(out, true), new PrintWriter(err, true));
    }
}
