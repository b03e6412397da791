// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.store;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;

/// One [FileRecord] in a file that only its owner may read. A crash at any moment leaves the old record or the new one:
/// the new one is complete on disk under another name before it takes the place of the old one, and the name is on disk
/// before [#write] returns. The last line is a checksum of the others, for what disks do by themselves.
///
/// One writer at a time; any number of readers.
public final class RecordFile implements RecordSlot {
    private static final String CHECKSUM = "sha256 ";
    private static final String UNFINISHED = ".new";

    private final Path path;

    public RecordFile(Path path) {
        this.path = path;
    }

    /// Makes a folder that only its owner may look into.
    public static void createFolder(Path folder) {
        try {
            Files.createDirectories(folder);
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        } catch (IOException e) {
            throw unwritable(folder, e);
        }
    }

    /// Whether a file in a folder of records is one; others are what a crash has left.
    public static boolean isRecord(Path file) {
        return Files.isRegularFile(file) && !file.toString().endsWith(UNFINISHED);
    }

    /// Replaces the record.
    ///
    /// @throws ProblemException when it cannot be written: nothing has changed then
    @Override
    public void write(FileRecord content) {
        var next = path.resolveSibling(path.getFileName() + UNFINISHED);
        var body = content.encoded();
        var end = (CHECKSUM + checksum(body) + "\n").getBytes(StandardCharsets.US_ASCII);
        try {
            Files.deleteIfExists(next);
            try (var channel = FileChannel.open(
                    next,
                    EnumSet.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
                writeAll(channel, body);
                writeAll(channel, end);
                channel.force(true);
            }
            Files.move(next, path, StandardCopyOption.ATOMIC_MOVE);
            syncFolder();
        } catch (IOException e) {
            throw unwritable(path, e);
        }
    }

    private static void writeAll(FileChannel channel, byte[] bytes) throws IOException {
        for (var buffer = ByteBuffer.wrap(bytes); buffer.hasRemaining(); ) {
            channel.write(buffer);
        }
    }

    private void syncFolder() throws IOException {
        try (var folder = FileChannel.open(path.toAbsolutePath().getParent(), Set.of(StandardOpenOption.READ))) {
            folder.force(true);
        }
    }

    /// Nothing when there is no such file.
    ///
    /// @throws ProblemException when it is damaged
    @Override
    public Optional<FileRecord> read() {
        String text;
        try {
            text = Files.readString(path);
        } catch (NoSuchFileException _) {
            return Optional.empty();
        } catch (IOException e) {
            throw damaged("cannot be read: " + e);
        }
        var start = text.lastIndexOf(CHECKSUM);
        if (start < 0 || !text.endsWith("\n")) {
            throw damaged("is not complete");
        }
        var body = text.substring(0, start);
        var found = text.substring(start + CHECKSUM.length()).strip();
        if (!checksum(body.getBytes(StandardCharsets.UTF_8)).equals(found)) {
            throw damaged("has another checksum than it says");
        }
        return Optional.of(FileRecord.decoded(body));
    }

    /// Whether or not it is there.
    public void delete() {
        try {
            if (Files.deleteIfExists(path)) {
                syncFolder();
            }
        } catch (IOException e) {
            throw unwritable(path, e);
        }
    }

    private static String checksum(byte[] body) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(body));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private ProblemException damaged(String what) {
        return new ProblemException(new Problem(
                "state-file-damaged",
                path + " " + what,
                "restore it from a backup",
                Problem.Origin.SERVER,
                Problem.Retry.POINTLESS));
    }

    private static ProblemException unwritable(Path path, IOException e) {
        return new ProblemException(new Problem(
                "state-unwritable",
                path + " cannot be written: " + e,
                "check that the disk has room and that the folder is ours",
                Problem.Origin.SERVER,
                Problem.Retry.SENSIBLE));
    }
}
