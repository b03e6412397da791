// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A program to run.
///
/// @param namespace the network namespace to run it in; the process's own if empty
/// @param input what it reads
record Command(Optional<Path> namespace, List<String> words, String input, Map<String, String> environment) {
    Command {
        words = List.copyOf(words);
        environment = Map.copyOf(environment);
    }

    static Command of(Optional<Path> namespace, List<String> words) {
        return new Command(namespace, words, "", Map.of());
    }

    static Command of(Path namespace, String... words) {
        return of(Optional.of(namespace), List.of(words));
    }

    Command withInput(String text) {
        return new Command(namespace, words, text, environment);
    }

    Command withEnvironment(Map<String, String> more) {
        return new Command(namespace, words, input, more);
    }

    String program() {
        return words.getFirst();
    }

    /// With the way into the namespace before it.
    List<String> line() {
        var line = new ArrayList<String>();
        namespace.ifPresent(path -> line.addAll(List.of("nsenter", "--net=" + path, "--")));
        line.addAll(words);
        return line;
    }

    @Override
    public String toString() {
        return String.join(" ", line());
    }
}
