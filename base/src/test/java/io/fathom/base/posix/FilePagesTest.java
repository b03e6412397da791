// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.posix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.fathom.base.posix.FilePages.Mapping;
import org.junit.jupiter.api.Test;

class FilePagesTest {
    private static final String JVM = "libjvm.so";

    @Test
    void givenTheCodeOfTheJvm_whenReleased_thenMostOfItIsGoneAndTheJvmGoesOn() throws PosixException {
        var before = code();

        var released = FilePages.releasable().release();

        assertThat(released).isGreaterThanOrEqualTo(before.resident());
        assertThat(code().resident()).isLessThan(before.resident());
        assertThat("still".repeat(3)).hasSize(15);
    }

    @Test
    void givenPagesThatWereChangedOrCanBe_thenTheyAreKept() {
        var mappings = FilePages.parse("""
                7f1000000000-7f1001000000 r-xp 00000000 08:02 7 /lib/code.so
                Size:              16384 kB
                Rss:                8192 kB
                Anonymous:             0 kB
                VmFlags: rd ex mr mw me
                7f1001000000-7f1002000000 r--p 00000000 08:02 7 /lib/code.so
                Rss:                8192 kB
                Anonymous:             0 kB
                7f1002000000-7f1003000000 r--p 00000000 08:02 8 /app/program.aot
                Rss:                8192 kB
                Anonymous:             0 kB
                7f1003000000-7f1004000000 r--p 00000000 08:02 8 /app/moved program.aot
                Rss:                8192 kB
                Anonymous:             4 kB
                7f1004000000-7f1005000000 rw-p 00000000 08:02 8 /app/program.aot
                Rss:                8192 kB
                Anonymous:             0 kB
                7f1005000000-7f1006000000 r-xp 00000000 00:00 0
                Rss:                8192 kB
                Anonymous:             0 kB
                7f1006000000-7f1007000000 r-xp 00000000 08:02 9 /lib/small.so
                Rss:                 512 kB
                Anonymous:             0 kB
                7ffd00000000-7ffd00021000 r-xp 00000000 00:00 0                          [vdso]
                Rss:                8192 kB
                Anonymous:             0 kB
                """.lines());

        assertThat(mappings)
                .filteredOn(Mapping::isReleasable)
                .extracting(Mapping::access, Mapping::file)
                .containsExactly(tuple("r-xp", "/lib/code.so"), tuple("r--p", "/app/program.aot"));
        assertThat(mappings).extracting(Mapping::file).contains("/app/moved program.aot");
    }

    private static Mapping code() {
        return FilePages.mappings().stream()
                .filter(mapping ->
                        mapping.file().endsWith(JVM) && mapping.access().startsWith("r-x"))
                .findFirst()
                .orElseThrow();
    }
}
