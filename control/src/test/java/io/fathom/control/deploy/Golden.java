// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Files under `src/test/resources/deploy`; `-Dfathom.golden=write` rewrites what is wanted.
final class Golden {
    private static final Path FOLDER = Path.of("src/test/resources/deploy");

    private Golden() {}

    static String input(String scenario) {
        return read(FOLDER.resolve(scenario).resolve("input.yaml"));
    }

    /// The stored text; the given one first becomes it, if files are to be rewritten.
    static String stored(String scenario, String file, String current) {
        var path = FOLDER.resolve(scenario).resolve(file);
        if ("write".equals(System.getProperty("fathom.golden"))) {
            try {
                Files.writeString(path, current);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return read(path);
    }

    private static String read(Path path) {
        try {
            return Files.readString(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
