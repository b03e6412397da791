// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordFileTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private static FileRecord record(String value) {
        return FileRecord.builder()
                .add("name", value)
                .add("list", "a b")
                .add("list", "c")
                .add("blob", new byte[] {0, 10, -1})
                .build();
    }

    @Test
    void whenWritten_thenItIsReadAgain() {
        var file = new RecordFile(folder.resolve("one"));

        file.write(record("first"));
        file.write(record("second"));

        var read = file.read().orElseThrow();
        assertThat(read.required("name")).isEqualTo("second");
        assertThat(read.texts("list")).containsExactly("a b", "c");
        assertThat(read.bytes("blob").orElseThrow()).containsExactly(0, 10, -1);
    }

    @Test
    void whenWritten_thenOnlyTheOwnerMayReadIt() throws IOException {
        new RecordFile(folder.resolve("one")).write(record("x"));

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("one"))))
                .isEqualTo("rw-------");
    }

    @Test
    void givenACrashInTheMiddleOfAWrite_thenTheOldRecordCounts() throws IOException {
        var file = new RecordFile(folder.resolve("one"));
        file.write(record("old"));
        Files.writeString(folder.resolve("one.new"), "name ha"); // what a crash leaves

        assertThat(file.read().orElseThrow().required("name")).isEqualTo("old");
        assertThat(RecordFile.isRecord(folder.resolve("one.new"))).isFalse();

        file.write(record("new"));
        assertThat(file.read().orElseThrow().required("name")).isEqualTo("new");
    }

    @Test
    void givenAnyPrefixOfAFile_thenItIsDamagedAndNeverHalfARecord() throws IOException {
        var file = new RecordFile(folder.resolve("one"));
        file.write(record("whole"));
        var whole = Files.readString(folder.resolve("one"));

        for (int length = 0; length < whole.length(); length++) {
            Files.writeString(folder.resolve("one"), whole.substring(0, length));
            assertThatThrownBy(file::read).as("%s characters", length).hasMessageContaining("one");
        }
    }

    @Test
    void givenOneOtherLetter_thenItIsDamaged() throws IOException {
        var file = new RecordFile(folder.resolve("one"));
        file.write(record("whole"));
        Files.writeString(
                folder.resolve("one"), Files.readString(folder.resolve("one")).replace("whole", "whale"));

        assertThatThrownBy(file::read).hasMessageContaining("checksum");
    }

    @Test
    void givenNoFile_thenThereIsNothing() {
        var file = new RecordFile(folder.resolve("none"));

        assertThat(file.read()).isEmpty();
        file.delete();
    }
}
