// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.zip.CRC32C;

/// Messages in a file, one behind the other, each with its checksum. Survives the end of the process; after a power
/// failure the last ones may be missing. What is damaged, and all behind it, counts as never written. For what can be
/// learnt again.
///
/// One writer at a time.
public final class RecordLog {
    private static final int HEADER = 8;
    private static final int LARGEST = 16 << 20;

    private final Path path;

    public RecordLog(Path path) {
        this.path = path;
    }

    private static ByteBuffer framed(byte[] message) {
        return ByteBuffer.allocate(HEADER + message.length)
                .putInt(message.length)
                .putInt(checksum(message))
                .put(message)
                .flip();
    }

    private static int checksum(byte[] message) {
        var sum = new CRC32C();
        sum.update(message);
        return (int) sum.getValue();
    }

    /// All that is there; what is behind it is cut off.
    public List<byte[]> read() throws IOException {
        if (!Files.exists(path)) {
            return List.of();
        }
        var found = new ArrayList<byte[]>();
        var bytes = ByteBuffer.wrap(Files.readAllBytes(path));
        var good = 0;
        while (bytes.remaining() >= HEADER) {
            var length = bytes.getInt();
            var sum = bytes.getInt();
            if (length < 0 || length > LARGEST || length > bytes.remaining()) {
                break;
            }
            var message = new byte[length];
            bytes.get(message);
            if (checksum(message) != sum) {
                break;
            }
            found.add(message);
            good = bytes.position();
        }
        if (good < bytes.limit()) {
            try (var file = FileChannel.open(path, StandardOpenOption.WRITE)) {
                file.truncate(good);
            }
        }
        return found;
    }

    /// Adds a message.
    ///
    /// @return how long the file is now
    public long append(byte[] message) throws IOException {
        try (var file = FileChannel.open(
                path, EnumSet.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND))) {
            write(file, message);
            return file.size();
        }
    }

    /// Begins anew.
    ///
    /// @return how long the file is now
    public long replace(List<byte[]> messages) throws IOException {
        var next = path.resolveSibling(path.getFileName() + ".new");
        Files.deleteIfExists(next);
        try (var file = FileChannel.open(next, EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))) {
            for (var message : messages) {
                write(file, message);
            }
            file.force(true);
        }
        Files.move(next, path, StandardCopyOption.ATOMIC_MOVE);
        return Files.size(path);
    }

    private static void write(FileChannel file, byte[] message) throws IOException {
        for (var buffer = framed(message); buffer.hasRemaining(); ) {
            file.write(buffer);
        }
    }

    public void delete() throws IOException {
        Files.deleteIfExists(path);
    }
}
