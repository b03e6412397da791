// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.dial;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.base.testkit.ManualTimeline;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.RootCertificate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrustWatchTest {
    private static final Instant START = Instant.parse("2026-11-16T12:00:00Z");
    private static final Duration A_WHILE = Duration.ofMinutes(1);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private final ManualTimeline timeline = new ManualTimeline(START);
    private final List<TrustWatch.TrustChange> heard = new ArrayList<>();

    @Test
    void givenAFile_whenItsRootIsReplaced_thenTold_andOnlyThen() throws IOException {
        var one = root();
        var two = root();
        write(one);
        try (var _ = watch()) {
            assertThat(heard).containsExactly(new TrustWatch.TrustChange.First(List.of(one)));
            timeline.advance(A_WHILE);
            assertThat(heard).hasSize(1);
            write(two);
            timeline.advance(A_WHILE);
            assertThat(heard).hasSize(2).last().isEqualTo(new TrustWatch.TrustChange.Replaced(List.of(two)));
        }
        write(one);
        timeline.advance(A_WHILE);
        assertThat(heard).hasSize(2);
    }

    @Test
    void givenNoFile_whenItComes_thenItIsTheFirst() throws IOException {
        var one = root();
        try (var _ = watch()) {
            timeline.advance(A_WHILE);
            assertThat(heard).isEmpty();
            write(one);
            timeline.advance(A_WHILE);
            assertThat(heard).containsExactly(new TrustWatch.TrustChange.First(List.of(one)));
        }
    }

    @Test
    void whenTheFileIsGoneOrBroken_thenNothingChanges() throws IOException {
        var one = root();
        write(one);
        try (var _ = watch()) {
            Files.writeString(file(), "nonsense");
            timeline.advance(A_WHILE);
            Files.delete(file());
            timeline.advance(A_WHILE);
            write(one);
            timeline.advance(A_WHILE);
            assertThat(heard).hasSize(1);
        }
    }

    private TrustWatch watch() {
        return new TrustWatch(new ServerTrust.InFile(file()), heard::add, timeline).start();
    }

    private Path file() {
        return folder.resolve("root.pem");
    }

    private void write(X509Certificate root) throws IOException {
        Files.writeString(file(), Pem.encode(root));
    }

    private static X509Certificate root() {
        return RootCertificate.create(KeyAlgorithm.P256.generate(), "test", START, Duration.ofDays(365));
    }
}
