// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.helper;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Problem.Origin;
import io.fathom.base.lang.Problem.Retry;
import io.fathom.base.lang.ProblemException;
import io.fathom.control.ca.RootStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Plugged certificates in a folder, all changed by one rename, as a kubelet does it: each file is a link through
/// `..data`, which is a link to the folder with the files of one moment. Only the owner can read them. Files of other
/// names are left alone. For one process at a time; any thread.
public final class CacertsFolder implements RootStore {
    private static final List<String> NAMES = List.of("ca-cert.pem", "ca-key.pem", "cert-chain.pem", "root-cert.pem");
    private static final String DATA = "..data";
    private static final String GENERATION = "..cacerts-";

    private final Path folder;

    public CacertsFolder(Path folder) {
        this.folder = folder.toAbsolutePath();
    }

    @Override
    public synchronized Optional<Content> read() {
        var entries = new HashMap<String, String>();
        for (var name : NAMES) {
            try {
                entries.put(name, Files.readString(folder.resolve(name)));
            } catch (NoSuchFileException e) {
                // told apart from an empty one by its absence
            } catch (IOException e) {
                throw unusable("read", e);
            }
        }
        return entries.isEmpty() ? Optional.empty() : Optional.of(new Content(entries));
    }

    @Override
    public synchronized boolean replace(Optional<Content> expected, Content content) {
        if (!read().equals(expected)) {
            return false;
        }
        try {
            write(content);
            return true;
        } catch (IOException e) {
            throw unusable("written", e);
        }
    }

    private void write(Content content) throws IOException {
        Files.createDirectories(folder);
        var generation = Files.createTempDirectory(folder, GENERATION); // for its owner only
        for (var entry : content.entries().entrySet()) {
            writeFile(generation.resolve(entry.getKey()), entry.getValue());
        }
        link(folder.resolve(DATA), generation.getFileName());
        for (var name : content.entries().keySet()) {
            var link = folder.resolve(name);
            if (!Files.isSymbolicLink(link) || !Files.readSymbolicLink(link).startsWith(DATA)) {
                link(link, Path.of(DATA, name));
            }
        }
        try (var entry = FileChannel.open(folder)) {
            entry.force(true);
        }
        removeAllBut(generation);
    }

    private static void writeFile(Path file, String text) throws IOException {
        var owner = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        try (var channel =
                FileChannel.open(file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), owner)) {
            var bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
    }

    /// Whatever was called so is replaced in one step.
    private static void link(Path link, Path target) throws IOException {
        var temporary = link.resolveSibling(".." + link.getFileName() + "_tmp");
        Files.deleteIfExists(temporary);
        Files.createSymbolicLink(temporary, target);
        Files.move(temporary, link, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private void removeAllBut(Path generation) throws IOException {
        try (var found = Files.newDirectoryStream(folder, GENERATION + "*")) {
            for (var old : found) {
                if (!old.equals(generation) && Files.isDirectory(old, LinkOption.NOFOLLOW_LINKS)) {
                    try (var files = Files.newDirectoryStream(old)) {
                        for (var file : files) {
                            Files.delete(file);
                        }
                    }
                    Files.delete(old);
                }
            }
        }
    }

    private ProblemException unusable(String what, IOException e) {
        return new ProblemException(new Problem(
                "cacerts-folder",
                "the certificates in " + folder + " cannot be " + what + ": " + e,
                "name a folder that this process may write to; one that a Secret is mounted at never is",
                Origin.SERVER,
                Retry.SENSIBLE));
    }
}
