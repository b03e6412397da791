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
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/// Tokens and registrations in a folder, a file for each: what has been written is there after any crash. One
/// process at a time has the folder.
public final class FolderStore implements FleetStore {
    private final Path folder;
    private final FileChannel lock;
    private final Map<String, Registration> registrations = new ConcurrentHashMap<>();
    private final Map<String, StoredToken> tokens = new ConcurrentHashMap<>();

    private FolderStore(Path folder, FileChannel lock) {
        this.folder = folder;
        this.lock = lock;
        all("clusters", Registration::of).forEach(one -> registrations.put(one.uid(), one));
        all("tokens", StoredToken::of).forEach(one -> tokens.put(one.id(), one));
    }

    /// Takes the folder, which is made where there is none.
    ///
    /// @throws ProblemException when another server has the folder, or it cannot be used
    public static FleetStore open(Path folder) {
        RecordFile.createFolder(folder);
        RecordFile.createFolder(folder.resolve("tokens"));
        RecordFile.createFolder(folder.resolve("clusters"));
        try {
            var lock = FileChannel.open(folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (!isOurs(lock)) {
                lock.close();
                throw taken(folder);
            }
            return new FolderStore(folder, lock);
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

    @Override
    public synchronized FileRecord authority(Supplier<FileRecord> made) {
        var file = new RecordFile(folder.resolve("authority"));
        return file.read().orElseGet(() -> {
            var record = made.get();
            file.write(record);
            return record;
        });
    }

    @Override
    public Collection<Registration> registrations() {
        return List.copyOf(registrations.values());
    }

    @Override
    public Optional<Registration> registration(String uid) {
        return Optional.ofNullable(registrations.get(uid));
    }

    @Override
    public int nextHandle() {
        return 1
                + registrations.values().stream()
                        .mapToInt(Registration::handle)
                        .max()
                        .orElse(0);
    }

    @Override
    public synchronized void keep(Registration before, Registration registration) {
        new RecordFile(folder.resolve("clusters").resolve(registration.uid())).write(registration.record());
        registrations.put(registration.uid(), registration);
    }

    @Override
    public Collection<StoredToken> tokens() {
        return List.copyOf(tokens.values());
    }

    @Override
    public Optional<StoredToken> token(String id) {
        return Optional.ofNullable(tokens.get(id));
    }

    @Override
    public synchronized void issue(StoredToken token) {
        new RecordFile(folder.resolve("tokens").resolve(token.id())).write(token.record());
        tokens.put(token.id(), token);
    }

    @Override
    public synchronized void use(StoredToken token, String key) {
        var now = tokens.getOrDefault(token.id(), token);
        if (now.usedBy().isPresent() && !now.usedBy().get().equals(key)) {
            throw FleetProblems.used(now);
        }
        issue(now.used(key));
    }

    @Override
    public synchronized void forget(StoredToken token) {
        new RecordFile(folder.resolve("tokens").resolve(token.id())).delete();
        tokens.remove(token.id());
    }

    /// The folder is this process's alone.
    @Override
    public synchronized <T> T exclusively(Supplier<T> change) {
        return change.get();
    }

    /// There is nobody else.
    @Override
    public void follow(Consumer<String> listener) {}

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
