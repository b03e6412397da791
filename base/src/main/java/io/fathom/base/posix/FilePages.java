// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.posix;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// Pages of files in this process that it only reads: code of libraries, classes of the JVM's archive.
///
/// Starting touches nearly all of them, running few. Classes that are needed again are read again, from the disk if
/// nobody else has them; code stays in the kernel's cache of files. Any thread may call.
public final class FilePages {
    private static final Path MAPPINGS = Path.of("/proc/self/smaps");
    private static final long LEAST = 1L << 20;
    private static final int MADV_RANDOM = 1; // read nothing but what is asked for
    private static final int MADV_DONTNEED = 4; // out of this process
    private static final int MADV_PAGEOUT = 21; // out of memory, unless others have it, too

    /// One mapping of a file.
    ///
    /// @param changed how many of its bytes are no longer those of the file
    record Mapping(long start, long end, String access, String file, long resident, long changed) {
        /// Nothing is lost if its pages go: they are the file's, and nobody can write to them. Small ones are left
        /// alone, also because a library that is just being loaded looks read-only for a moment.
        boolean isReleasable() {
            return (isCode() || isArchive()) && changed == 0 && resident >= LEAST && file.startsWith("/");
        }

        private boolean isCode() {
            return access.startsWith("r-x");
        }

        private boolean isArchive() {
            return access.startsWith("r--p") && file.endsWith(".aot");
        }

        /// The kernel maps what its cache has around a page that is asked for, and reads more than that into its cache:
        /// of an archive, whose classes lie scattered, nearly all would be back at once.
        List<Integer> advice() {
            return isArchive() ? List.of(MADV_RANDOM, MADV_PAGEOUT) : List.of(MADV_DONTNEED);
        }
    }

    private final List<Mapping> mappings;

    private FilePages(List<Mapping> mappings) {
        this.mappings = mappings;
    }

    /// Those that can be released now. Costs some memory itself.
    public static FilePages releasable() {
        return new FilePages(mappings().stream().filter(Mapping::isReleasable).toList());
    }

    /// How many bytes were resident when we looked and need not be.
    public long release() throws PosixException {
        var released = 0L;
        for (var mapping : mappings) {
            var length = mapping.end() - mapping.start();
            for (int advice : mapping.advice()) {
                Libc.call(
                        "madvise",
                        mapping.file(),
                        (_, state) -> Libc.integer(Libc.MADVISE, state, mapping.start(), length, advice));
            }
            released += mapping.resident();
        }
        return released;
    }

    /// All mappings of files as they are now; none where the kernel does not tell.
    static List<Mapping> mappings() {
        try (var lines = Files.lines(MAPPINGS)) {
            return parse(lines);
        } catch (IOException e) {
            return List.of();
        }
    }

    static List<Mapping> parse(Stream<String> lines) {
        var reading = new Reading();
        lines.forEach(reading::line);
        reading.finish();
        return reading.found;
    }

    /// A head line with the range, then one line for each figure.
    private static final class Reading {
        private final List<Mapping> found = new ArrayList<>();
        private String[] head = {};
        private long resident;
        private long changed;

        void line(String line) {
            var colon = line.indexOf(':');
            var blank = line.indexOf(' ');
            if (colon < 0 || (blank >= 0 && blank < colon)) { // `00400000-00452000 r-xp 00000000 08:02 173521 /bin/x`
                finish();
                head = line.split(" +", 6);
                resident = 0;
                changed = 0;
            } else if (line.startsWith("Rss:")) {
                resident = bytes(line);
            } else if (line.startsWith("Anonymous:")) {
                changed = bytes(line);
            }
        }

        void finish() {
            if (head.length == 6 && !head[5].isEmpty()) {
                var range = head[0].split("-", 2);
                found.add(new Mapping(
                        Long.parseUnsignedLong(range[0], 16),
                        Long.parseUnsignedLong(range[1], 16),
                        head[1],
                        head[5],
                        resident,
                        changed));
            }
            head = new String[0];
        }

        private static long bytes(String line) {
            return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
        }
    }
}
