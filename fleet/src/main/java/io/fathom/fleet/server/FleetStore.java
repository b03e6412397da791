// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.fleet.store.FileRecord;
import io.fathom.fleet.store.RecordFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.Function;

/// Tokens and registrations in a folder, a file for each: what has been written is there after any crash. One
/// process at a time has the folder.
final class FleetStore implements AutoCloseable {
    private final Path folder;
    private final FileChannel lock;

    private FleetStore(Path folder, FileChannel lock) {
        this.folder = folder;
        this.lock = lock;
    }

    /// @throws ProblemException when another server has the folder, or it cannot be used
    static FleetStore open(Path folder) {
        RecordFile.createFolder(folder);
        RecordFile.createFolder(folder.resolve("tokens"));
        RecordFile.createFolder(folder.resolve("clusters"));
        try {
            var lock = FileChannel.open(folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (!isOurs(lock)) {
                lock.close();
                throw taken(folder);
            }
            return new FleetStore(folder, lock);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isOurs(FileChannel lock) throws IOException {
        try {
            return lock.tryLock() != null;
        } catch (OverlappingFileLockException _) {
            return false; // another one in this very process
        }
    }

    private static ProblemException taken(Path folder) {
        return new ProblemException(new Problem(
                "state-in-use",
                "another management server has " + folder,
                "stop it, or give this one a folder of its own with --state-dir",
                Problem.Origin.SERVER,
                Problem.Retry.SENSIBLE));
    }

    RecordFile authority() {
        return new RecordFile(folder.resolve("authority"));
    }

    List<StoredToken> tokens() {
        return all("tokens", StoredToken::of);
    }

    List<Registration> registrations() {
        return all("clusters", Registration::of);
    }

    void keep(StoredToken token) {
        new RecordFile(folder.resolve("tokens").resolve(token.id())).write(token.record());
    }

    void forget(StoredToken token) {
        new RecordFile(folder.resolve("tokens").resolve(token.id())).delete();
    }

    void keep(Registration registration) {
        new RecordFile(folder.resolve("clusters").resolve(registration.uid())).write(registration.record());
    }

    private <T> List<T> all(String kind, Function<FileRecord, T> reading) {
        try (var files = Files.list(folder.resolve(kind))) {
            return files.filter(RecordFile::isRecord)
                    .sorted()
                    .flatMap(file -> new RecordFile(file).read().stream())
                    .map(reading)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            lock.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
