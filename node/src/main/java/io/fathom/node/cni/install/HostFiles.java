// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.install;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Writes files of a node so that others see the old or the new one and never half of it: beside it first, under a name
/// with `.tmp.` in it, then renamed. What a process that was killed left behind is removed by the next.
final class HostFiles {
    private HostFiles() {}

    /// Writes `text`, with the permissions of the file that is there, if one is.
    static void write(Path file, String text, Set<PosixFilePermission> permissions) throws IOException {
        var kept = Files.exists(file) ? Files.getPosixFilePermissions(file) : permissions;
        writeWith(file, text, kept);
    }

    /// Writes `text` with these permissions, whatever the file that is there has.
    static void writeWith(Path file, String text, Set<PosixFilePermission> permissions) throws IOException {
        removeTemporary(file);
        var temporary = temporary(file);
        try {
            Files.createFile(temporary);
            Files.setPosixFilePermissions(temporary, permissions); // before there is anything to read
            Files.writeString(temporary, text, StandardCharsets.UTF_8);
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    /// Copies a file, or a folder with all that is in it, with times and permissions.
    static void copy(Path source, Path target) throws IOException {
        removeTemporary(target);
        var temporary = temporary(target);
        try {
            copyTree(source, temporary);
            if (Files.isDirectory(target, LinkOption.NOFOLLOW_LINKS)) {
                deleteTree(target); // no rename replaces a folder that has something in it
            }
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            deleteTree(temporary);
        }
    }

    /// Whether `target` has all that `source` has, by size and time.
    static boolean isSame(Path source, Path target) throws IOException {
        if (!Files.isDirectory(source)) {
            return isSameFile(source, target);
        }
        try (var files = Files.walk(source)) {
            for (var file : files.filter(Files::isRegularFile).toList()) {
                if (!isSameFile(file, target.resolve(source.relativize(file).toString()))) {
                    return false;
                }
            }
            return true;
        }
    }

    private static boolean isSameFile(Path source, Path target) throws IOException {
        if (!Files.isRegularFile(target)) {
            return false;
        }
        var wanted = Files.getLastModifiedTime(source).toInstant().truncatedTo(ChronoUnit.SECONDS);
        return Files.size(source) == Files.size(target)
                && Files.getLastModifiedTime(target)
                        .toInstant()
                        .truncatedTo(ChronoUnit.SECONDS)
                        .equals(wanted)
                && Files.getPosixFilePermissions(source).equals(Files.getPosixFilePermissions(target));
    }

    static void deleteTree(Path root) throws IOException {
        if (!Files.exists(root, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                if (failure instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw failure;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException e) throws IOException {
                Files.deleteIfExists(folder);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private static void copyTree(Path source, Path target) throws IOException {
        try (var files = Files.walk(source)) {
            for (var file : files.toList()) {
                var copy = target.resolve(source.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(copy);
                } else {
                    // With its times: the cache of loaded classes is only good for the very files it was made from.
                    Files.copy(file, copy, StandardCopyOption.COPY_ATTRIBUTES);
                }
            }
        }
    }

    private static Path temporary(Path file) {
        return file.resolveSibling(file.getFileName() + ".tmp." + UUID.randomUUID());
    }

    private static void removeTemporary(Path file) throws IOException {
        var name = file.getFileName() + ".tmp.*";
        try (DirectoryStream<Path> old = Files.newDirectoryStream(parent(file), name)) {
            for (var leftOver : old) {
                deleteTree(leftOver);
            }
        }
    }

    static Path parent(Path file) {
        var parent = file.toAbsolutePath().getParent();
        if (parent == null) {
            throw new IllegalArgumentException(file + " has no folder");
        }
        return parent;
    }
}
