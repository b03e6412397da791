// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// `bin/release` on a clone of this tree. That two builds from nothing give the same bytes, images included, is what
/// `bin/release --check` shows; it takes some minutes.
@Tag("slow")
@Timeout(300)
class ReleaseTest {
    private static final Map<String, String> WHO = Map.of(
            "GIT_AUTHOR_NAME", "test",
            "GIT_AUTHOR_EMAIL", "test@localhost",
            "GIT_COMMITTER_NAME", "test",
            "GIT_COMMITTER_EMAIL", "test@localhost",
            "FATHOM_BUILD", "skip");

    @TempDir
    Path folder = Path.of("unset");

    @Test
    void whenReleased_thenVersionAndChangelogAreCommittedAndTagged_andTheNextVersionBegins() throws Exception {
        var clone = cloneTree();
        Files.writeString(
                clone.resolve("CHANGELOG.md"),
                "# Changelog\n\n## Unreleased\n\n### Added\n- A door.\n\n## 0.1.0\n\n### Added\n- A house.\n");
        run(clone, "git", "commit", "-qam", "a changelog");

        run(clone, "bin/release", "9.8.7", "--no-record");

        assertThat(run(clone, "git", "log", "-2", "--format=%s"))
                .isEqualTo("release: begin 9.9.0-SNAPSHOT\nrelease: version 9.8.7\n");
        assertThat(Files.readString(clone.resolve("pom.xml"))).contains("  <version>9.9.0-SNAPSHOT</version>\n");
        assertThat(run(clone, "git", "for-each-ref", "--format=%(contents)", "refs/tags/v9.8.7"))
                .contains("Fathom 9.8.7", "- A door.")
                .doesNotContain("A house");
        run(clone, "git", "checkout", "-q", "v9.8.7");
        assertThat(Files.readString(clone.resolve("CHANGELOG.md")))
                .containsPattern("(?s)## Unreleased\n\n## 9\\.8\\.7 \\(\\d{4}-\\d\\d-\\d\\d\\)\n\n### Added\n- A door");
        for (var module : List.of("", "base/", "app/", "verify/")) {
            assertThat(Files.readString(clone.resolve(module + "pom.xml")))
                    .as(module)
                    .containsOnlyOnce("<version>9.8.7</version>")
                    .doesNotContain("SNAPSHOT");
        }
        assertThat(Files.readString(clone.resolve("deploy/charts/ztunnel/Chart.yaml")))
                .contains("\nversion: 9.8.7\n", "\nappVersion: 9.8.7\n");
    }

    @Test
    void givenNothingNew_orChangesThatAreNotCommitted_thenThereIsNoRelease() throws Exception {
        var clone = cloneTree();
        var tags = run(clone, "git", "tag");
        Files.writeString(clone.resolve("CHANGELOG.md"), "# Changelog\n\n## Unreleased\n\n## 0.1.0\n- A house.\n");
        assertThat(fails(clone, "bin/release", "9.8.7")).contains("not committed");
        run(clone, "git", "commit", "-qam", "a changelog");
        assertThat(fails(clone, "bin/release", "9.8.7")).contains("nothing under Unreleased");
        assertThat(fails(clone, "bin/release", "9.8")).contains("not a version");
        assertThat(run(clone, "git", "tag")).isEqualTo(tags);
    }

    @Test
    void whenBuiltTwice_thenProgramsAndChartsAreTheSameBytes_andTheyWork() throws Exception {
        assumeTrue(
                Files.exists(Charts.ROOT.resolve("app/target/fathom.jar")),
                "the programs are not built: run Maven's phase verify, or bin/lib/build");
        var version = Charts.version();
        for (var out : List.of("one", "two")) {
            run(
                    Charts.ROOT,
                    "bin/release",
                    "--build",
                    "--out",
                    folder.resolve(out).toString(),
                    "programs",
                    "charts");
        }
        var one = folder.resolve("one");
        assertThat(Files.readString(one.resolve("SHA256SUMS")))
                .isEqualTo(Files.readString(folder.resolve("two/SHA256SUMS")))
                .contains("fathom-" + version + ".tar.gz", "ztunnel-" + version + ".tgz");
        assertThat(run(one, "sha256sum", "--check", "--quiet", "SHA256SUMS")).isEmpty();

        run(one, "tar", "-xzf", "fathom-" + version + ".tar.gz");
        var home = one.resolve("fathom-" + version);
        assertThat(run(home, "bin/fathomd", "--version")).startsWith("fathomd " + version);
        assertThat(run(home, "bin/up", "--check")).isNotEmpty();
        var bill = new ObjectMapper()
                .readTree(one.resolve("fathom-" + version + ".cdx.json").toFile());
        assertThat(bill.at("/metadata/component/version").asText()).isEqualTo(version);
        assertThat(bill.path("components"))
                .anyMatch(component -> component.path("purl").asText().startsWith("pkg:maven/io.netty/netty-handler@"))
                .allMatch(
                        component -> component.at("/hashes/0/content").asText().length() == 64);

        for (var chart : Charts.names()) {
            var packed = one.resolve(chart + "-" + version + ".tgz").toString();
            var rendered =
                    Charts.helm(List.of("template", "fathom", packed, "-n=istio-system", "--kube-version=1.34.0"));
            assertThat(rendered.code()).as(rendered.text()).isZero();
            assertThat(rendered.text()).isEqualTo(Charts.template(chart).text());
        }
    }

    private Path cloneTree() throws IOException, InterruptedException {
        assumeTrue(Files.exists(Charts.ROOT.resolve(".git")), "this is not a clone");
        var clone = folder.resolve("clone");
        run(folder, "git", "clone", "-q", "--shared", Charts.ROOT.toString(), clone.toString());
        Files.copy(
                Charts.ROOT.resolve("bin/release"),
                clone.resolve("bin/release"),
                java.nio.file.StandardCopyOption.REPLACE_EXISTING,
                java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);
        return clone;
    }

    private static String run(Path where, String... command) throws IOException, InterruptedException {
        var process = start(where, command);
        var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as("%s: %s", List.of(command), text).isZero();
        return text;
    }

    private static String fails(Path where, String... command) throws IOException, InterruptedException {
        var process = start(where, command);
        var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(text).isNotZero();
        return text;
    }

    private static Process start(Path where, String... command) throws IOException {
        var words = command[0].startsWith("bin/")
                ? Stream.concat(
                                Stream.of(where.resolve(command[0]).toString()),
                                Stream.of(command).skip(1))
                        .toList()
                : List.of(command);
        var builder = new ProcessBuilder(words).directory(where.toFile()).redirectErrorStream(true);
        builder.environment().putAll(WHO);
        return builder.start();
    }
}
