// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.folder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fathom.wire.kube.ReaderConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/// A folder, the source that watches it, and what the source told.
final class FolderFixture implements AutoCloseable {
    static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration LONG = Duration.ofSeconds(20);

    final Path root;
    final RecordingSink sink = new RecordingSink();
    final FolderSource source;

    private FolderFixture(Path root, FolderWatch watch, FolderConfig config) {
        this.root = root;
        source = FolderSource.start(
                root, watch, ReaderConfig.of("c1", "default", "istio-system"), config, InstantSource.fixed(NOW), sink);
        await().atMost(LONG).until(() -> !sink.batches().isEmpty());
    }

    static FolderFixture open(Path root) {
        // So long between scans that only notifications can make the tests pass.
        return open(root, FolderConfig.DEFAULT.withRescan(Duration.ofMinutes(10)));
    }

    static FolderFixture open(Path root, FolderConfig config) {
        return new FolderFixture(root, FolderWatch.of(root), config);
    }

    static FolderFixture openBlind(Path root) {
        return new FolderFixture(root, FolderWatch.blind(root), FolderConfig.DEFAULT.withRescan(Duration.ofMillis(20)));
    }

    static void write(Path file, String text) {
        try {
            Files.createDirectories(file.getParent());
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void write(String file, String text) {
        write(root.resolve(file), text);
    }

    void delete(String file) {
        try {
            Files.delete(root.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void move(String from, String to) {
        try {
            Files.move(root.resolve(from), root.resolve(to), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void awaitNames(String... names) {
        await().atMost(LONG).untilAsserted(() -> assertThat(sink.names()).containsExactly(names));
    }

    void awaitProblems(int count) {
        await().atMost(LONG).untilAsserted(() -> assertThat(source.problems()).hasSize(count));
    }

    /// Everything that was written before has been seen once an object that is written now arrives.
    void settle() {
        write("zz-marker.yaml", namespace("marker"));
        await().atMost(LONG).untilAsserted(() -> assertThat(sink.names()).contains("Namespace marker"));
    }

    static String namespace(String name) {
        return "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: " + name + "\n";
    }

    static String service(String name, int port) {
        return """
                apiVersion: v1
                kind: Service
                metadata:
                  name: %s
                  namespace: shop
                spec:
                  ports:
                  - port: %d
                """.formatted(name, port);
    }

    @Override
    public void close() {
        source.close();
    }
}
