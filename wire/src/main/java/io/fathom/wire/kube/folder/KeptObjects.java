// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.folder;

import io.fathom.base.lang.Problem;
import io.fathom.wire.kube.manifest.ManifestProblem;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.MisreadException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Objects that protect something, as they were last read, in one file. It is written whole or not at all, also when
/// the program or the machine dies in the middle, and what is not as it was written is not believed. One thread only.
final class KeptObjects {
    private static final String HEAD = "fathom-last-good-1 ";

    /// @param file that it was read from
    /// @param line where it began there
    /// @param object as JSON on one line
    record Kept(String file, int line, String object) {
        private String row() {
            return Json.compact(Json.of(Map.of("file", file, "line", line))) + "\t" + object + "\n";
        }

        private static Kept of(Path memory, String row) throws IOException {
            var tab = row.indexOf('\t'); // JSON has none outside of texts, where it is written \t
            if (tab < 0) {
                throw new IOException("a row has no object");
            }
            var place = Field.root(Json.parse(memory.toString(), row.substring(0, tab)));
            return new Kept(
                    place.at("file").requiredText(),
                    place.at("line").requiredInteger(0, Integer.MAX_VALUE),
                    row.substring(tab + 1));
        }
    }

    private final Path file;
    private String written = "";
    private Optional<ManifestProblem> problem = Optional.empty();

    KeptObjects(Path file) {
        this.file = file;
    }

    /// Why something could not be kept, or was lost.
    Optional<ManifestProblem> problem() {
        return problem;
    }

    /// What was kept last; nothing when there is no such file.
    List<Kept> load() {
        try {
            var text = Files.readString(file);
            var end = text.indexOf('\n');
            var body = text.substring(end + 1);
            if (end < 0 || !text.substring(0, end).equals(HEAD + checksum(body))) {
                throw new IOException("it is not as it was written");
            }
            var kept = new ArrayList<Kept>();
            for (var row : body.lines().toList()) {
                kept.add(Kept.of(file, row));
            }
            written = body;
            return kept;
        } catch (NoSuchFileException _) {
            return List.of();
        } catch (IOException | MisreadException e) {
            problem = Optional.of(problem(
                    "manifest-memory-lost",
                    "cannot be read (" + e.getMessage() + "): policies whose text is broken now are not in force",
                    "mend the manifests; it is written anew"));
            return List.of();
        }
    }

    /// Keeps these and no others; writes only if that is a change.
    void save(List<Kept> objects) {
        var body = new StringBuilder();
        objects.forEach(kept -> body.append(kept.row()));
        var text = body.toString();
        if (text.equals(written)) {
            return;
        }
        try {
            write(HEAD + checksum(text) + "\n" + text);
            written = text;
            problem = Optional.empty();
        } catch (IOException e) {
            problem = Optional.of(problem(
                    "manifest-memory-unwritable",
                    "cannot be written (" + e
                            + "): after a restart, policies whose text is broken then are not in force",
                    "let the user of fathomd write there, or name another folder with --state-dir"));
        }
    }

    private void write(String text) throws IOException {
        var folder = Files.createDirectories(file.toAbsolutePath().getParent());
        var next = folder.resolve(file.getFileName() + ".new");
        try (var channel = FileChannel.open(
                next, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            var bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        try (var channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true); // the new name, too
        }
    }

    private ManifestProblem problem(String code, String message, String fix) {
        return ManifestProblem.ofFile(file.toString(), Problem.ofInput(code, message, fix))
                .asWarning();
    }

    private static String checksum(String text) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
