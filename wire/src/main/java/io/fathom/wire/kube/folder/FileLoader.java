// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.folder;

import com.dynatrace.hash4j.hashing.Hashing;
import io.fathom.base.lang.Problem;
import io.fathom.wire.kube.manifest.ManifestProblem;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Duplicates;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import java.util.function.ToLongFunction;

/// Reads and parses files, many at a time on all cores. Every failure is a [Look], never an exception.
final class FileLoader {
    private static final int FEW = 8;

    private record Ahead(String file, Future<Look> look) {}

    private final FolderConfig config;

    FileLoader(FolderConfig config) {
        this.config = config;
    }

    /// Looks at files in order; `each` is called in that order on this thread.
    ///
    /// @param knownHash of the content that need not be parsed again
    void lookAll(Collection<String> files, ToLongFunction<String> knownHash, BiConsumer<String, Look> each)
            throws InterruptedException {
        if (files.size() < FEW) {
            files.forEach(file -> each.accept(file, look(file, knownHash.applyAsLong(file))));
            return;
        }
        var window = 4 * Runtime.getRuntime().availableProcessors(); // bounds the memory of what is read ahead
        var ahead = new ArrayDeque<Ahead>(window);
        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var file : files) {
                if (ahead.size() == window) {
                    deliver(ahead.remove(), each);
                }
                var hash = knownHash.applyAsLong(file);
                ahead.add(new Ahead(file, executor.submit(() -> look(file, hash))));
            }
            while (!ahead.isEmpty()) {
                deliver(ahead.remove(), each);
            }
        }
    }

    private static void deliver(Ahead next, BiConsumer<String, Look> each) throws InterruptedException {
        try {
            each.accept(next.file(), next.look().get());
        } catch (ExecutionException e) {
            throw new IllegalStateException("looking at " + next.file() + " failed", e.getCause());
        }
    }

    Look look(String file, long knownHash) {
        var path = Path.of(file);
        try {
            var attributes = Files.readAttributes(path, BasicFileAttributes.class);
            if (attributes.isDirectory()) {
                return new Look.Missing();
            }
            var stamp = FileNames.stamp(attributes);
            if (!attributes.isRegularFile()) {
                return faulty(stamp, file, "is not a regular file", "put manifests into plain files");
            }
            return attributes.size() > config.maxFileBytes() ? tooLarge(stamp, file) : read(path, stamp, knownHash);
        } catch (NoSuchFileException e) {
            return Files.exists(path, LinkOption.NOFOLLOW_LINKS)
                    ? faulty(Look.NO_STAMP, file, "is a link that leads nowhere", "delete it or mend its target")
                    : new Look.Missing();
        } catch (AccessDeniedException e) {
            return faulty(
                    Look.NO_STAMP, file, "must not be read by this user", "give the user of fathomd read permission");
        } catch (IOException e) {
            return faulty(Look.NO_STAMP, file, "cannot be read: " + e.getMessage(), "check the file and its disk");
        }
    }

    private Look read(Path path, long stamp, long knownHash) throws IOException {
        byte[] bytes;
        try (var in = Files.newInputStream(path)) {
            bytes = in.readNBytes((int) config.maxFileBytes() + 1); // it may have grown since
        }
        if (bytes.length > config.maxFileBytes()) {
            return tooLarge(stamp, path.toString());
        }
        var hash = Hashing.xxh3_64().hashBytesToLong(bytes);
        if (hash == knownHash) {
            return new Look.Unchanged(stamp);
        }
        return switch (ManifestText.decode(bytes)) {
            case ManifestText.Decoded(var text) -> parse(path.toString(), stamp, hash, text);
            case ManifestText.Undecodable(var line, var problem) ->
                new Look.Faulty(stamp, new ManifestProblem(path.toString(), line, "", "", problem));
        };
    }

    private Look parse(String file, long stamp, long hash, String text) {
        try {
            var documents = FileNames.isJson(file)
                    ? Documents.ofJson(file, text, config.limits(), Duplicates.NOTE)
                    : Documents.ofYaml(file, text, config.limits(), Duplicates.NOTE);
            return new Look.Loaded(stamp, hash, documents);
        } catch (RuntimeException e) {
            // A parser that stumbles over strange input must not stop the others.
            return faulty(stamp, file, "cannot be parsed: " + e, "check the file with a YAML linter");
        }
    }

    private Look tooLarge(long stamp, String file) {
        return new Look.Faulty(
                stamp,
                ManifestProblem.ofFile(
                        file,
                        Problem.ofInput(
                                "manifest-file-too-large",
                                "is larger than " + config.maxFileBytes() + " bytes",
                                "split it into several files, or raise the limit")));
    }

    private static Look faulty(long stamp, String file, String message, String fix) {
        return new Look.Faulty(
                stamp, ManifestProblem.ofFile(file, Problem.ofInput("manifest-file-unreadable", message, fix)));
    }
}
