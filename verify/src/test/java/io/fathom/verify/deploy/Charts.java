// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.deploy;

import io.fathom.verify.peers.StockProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// Our charts, and what helm makes of them. `CASES` has values beside the objects that must come out.
final class Charts {
    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    static final Path FOLDER = ROOT.resolve("deploy/charts");
    static final Path CASES = Path.of("src/test/resources/charts");
    static final String KUBE = "1.34.0";
    private static final String VALUES = ".values.yaml";

    /// What a program printed and how it ended.
    record Ran(int code, String text) {}

    /// A chart with values for it.
    record Case(String chart, String name) {
        Path values() {
            return CASES.resolve(chart).resolve(name + VALUES);
        }

        Path golden() {
            return CASES.resolve(chart).resolve(name + ".yaml");
        }

        @Override
        public String toString() {
            return chart + " " + name;
        }
    }

    private Charts() {}

    static List<String> names() {
        return list(FOLDER).map(path -> path.getFileName().toString()).toList();
    }

    static List<Case> cases() {
        return list(CASES).flatMap(Charts::cases).toList();
    }

    private static Stream<Case> cases(Path folder) {
        return list(folder)
                .map(file -> file.getFileName().toString())
                .filter(file -> file.endsWith(VALUES))
                .map(file -> new Case(folder.getFileName().toString(), file.replace(VALUES, "")));
    }

    /// Of the programs and charts of this tree.
    static String version() {
        try {
            return Files.readString(ROOT.resolve("pom.xml"))
                    .replaceAll("(?s).*?<artifactId>fathom</artifactId>\\s*<version>([^<]*)<.*", "$1");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The objects of a case; fails with helm's words.
    static String render(Case what) {
        var ran = template(what.chart(), "--values", what.values().toString());
        if (ran.code() != 0) {
            throw new IllegalStateException(what + ": " + ran.text());
        }
        return ran.text();
    }

    static Ran template(String chart, String... flags) {
        var command = new ArrayList<>(List.of(
                "template", "fathom", FOLDER.resolve(chart).toString(), "-n=istio-system", "--kube-version=" + KUBE));
        command.addAll(List.of(flags));
        return helm(command);
    }

    static Ran helm(List<String> words) {
        return run(StockProgram.HELM, words, "");
    }

    static Ran run(StockProgram program, List<String> words, String input) {
        var command = new ArrayList<>(List.of(program.require().toString()));
        command.addAll(words);
        try {
            var process = new ProcessBuilder(command).redirectErrorStream(true).start();
            try (var in = process.outputWriter(StandardCharsets.UTF_8)) {
                in.write(input);
            }
            var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Ran(process.waitFor(), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    private static Stream<Path> list(Path folder) {
        try (var files = Files.list(folder)) {
            return files.sorted().toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
