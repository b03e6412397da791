// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.helper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fathom.base.lang.ProblemException;
import io.fathom.control.ca.RootStore.Content;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CacertsFolderTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path temporary;

    @Test
    void givenNoFolder_whenWritten_thenReadAndForTheOwnerOnly() throws IOException {
        var path = temporary.resolve("new/cacerts");
        var folder = new CacertsFolder(path);
        assertThat(folder.read()).isEmpty();

        assertThat(folder.replace(Optional.empty(), content(1))).isTrue();

        assertThat(folder.read()).contains(content(1));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path.resolve("ca-key.pem"))))
                .isEqualTo("rw-------");
    }

    @Test
    void givenAnotherContentThanExpected_thenNothingChanges() {
        var folder = new CacertsFolder(temporary);
        assertThat(folder.replace(Optional.empty(), content(1))).isTrue();

        assertThat(folder.replace(Optional.empty(), content(2))).isFalse();
        assertThat(folder.replace(Optional.of(content(2)), content(3))).isFalse();

        assertThat(folder.read()).contains(content(1));
    }

    @Test
    void givenPlainFiles_whenWritten_thenTheyAreReplacedAndOthersAreLeft() throws IOException {
        for (var entry : content(1).entries().entrySet()) {
            Files.writeString(temporary.resolve(entry.getKey()), entry.getValue());
        }
        Files.writeString(temporary.resolve("ca-crl.pem"), "revoked");
        var folder = new CacertsFolder(temporary);

        assertThat(folder.replace(folder.read(), content(2))).isTrue();

        assertThat(folder.read()).contains(content(2));
        assertThat(temporary.resolve("ca-crl.pem")).hasContent("revoked");
    }

    @Test
    void whenWrittenAgainAndAgain_thenTheFilesOfOneMomentBelongTogetherAndNoOldOnesAreLeft() throws Exception {
        var folder = new CacertsFolder(temporary);
        folder.replace(Optional.empty(), content(0));
        var writing = CompletableFuture.runAsync(() -> {
            for (var number = 1; number <= 200; number++) {
                assertThat(folder.replace(Optional.of(content(number - 1)), content(number)))
                        .isTrue();
            }
        });
        var pairs = 0;
        do {
            try {
                var moment = temporary.resolve("..data").toRealPath();
                var key = Files.readString(moment.resolve("ca-key.pem"));
                assertThat(Files.readString(moment.resolve("ca-cert.pem"))).isEqualTo(key);
                assertThat(Files.readString(moment.resolve("root-cert.pem"))).isEqualTo(key);
                pairs++;
            } catch (IOException e) {
                // replaced while it was read: whoever watches the folder comes again
            }
        } while (!writing.isDone() || pairs == 0);
        writing.join();

        assertThat(folder.read()).contains(content(200));
        try (var left = Files.list(temporary)) {
            assertThat(left).hasSize(6); // four links, ..data and what it leads to
        }
    }

    @Test
    void givenAFileInPlaceOfTheFolder_thenTheProblemNamesIt() throws IOException {
        var file = Files.writeString(temporary.resolve("file"), "");
        assertThatThrownBy(() -> new CacertsFolder(file).replace(Optional.empty(), content(1)))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining(file.toString());
    }

    private static Content content(int number) {
        var text = Integer.toString(number);
        return new Content(
                Map.of("ca-cert.pem", text, "ca-key.pem", text, "cert-chain.pem", text, "root-cert.pem", text));
    }
}
