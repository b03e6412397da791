package io.fathom.wire.kube.folder;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.ReaderConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class FolderStackTest {
    private static final String SERVICE = """
            apiVersion: v1
            kind: Service
            metadata: {name: web, namespace: shop}
            spec: {clusterIP: %s, ports: [{port: 80}]}
            """;

    private final BlockingQueue<List<ManifestChange>> batches = new LinkedBlockingQueue<>();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @SuppressWarnings("NullAway.Init")
    private FolderStack stack;

    @BeforeEach
    void open() throws IOException {
        for (var name : List.of("people", "programs")) {
            Files.createDirectory(folder.resolve(name));
        }
        write("people", SERVICE.formatted("198.18.0.1"));
        write("programs", SERVICE.formatted("198.18.0.2"));
        stack = FolderStack.open(
                List.of(folder.resolve("people"), folder.resolve("programs")),
                ReaderConfig.of("Kubernetes", "default", "istio-system"),
                FolderConfig.DEFAULT.withGrace(Duration.ZERO),
                InstantSource.system(),
                batches::add);
    }

    @AfterEach
    void close() {
        stack.close();
    }

    @Test
    void givenAnObjectInBothFolders_thenTheLastOneCounts() throws Exception {
        assertThat(next()).contains("198.18.0.2").doesNotContain("198.18.0.1");
        assertThat(stack.problems()).isEmpty();
    }

    @Test
    void whenTheLastOneIsGone_thenTheOtherCounts_andThenNone() throws Exception {
        next();
        Files.delete(folder.resolve("programs/web.yaml"));
        assertThat(next()).contains("Put", "198.18.0.1");
        Files.delete(folder.resolve("people/web.yaml"));
        assertThat(next()).contains("Remove");
    }

    @Test
    void givenAnObjectThatAnotherHides_whenItChanges_thenNothingIsTold() throws Exception {
        next();
        write("people", SERVICE.formatted("198.18.0.3"));
        Files.writeString(
                folder.resolve("people/more.yaml"),
                SERVICE.formatted("198.18.0.4").replace("web", "shop"));

        assertThat(next()).contains("198.18.0.4").doesNotContain("198.18.0.3");
    }

    private String next() throws InterruptedException {
        return String.valueOf(batches.poll(30, TimeUnit.SECONDS));
    }

    private void write(String layer, String text) throws IOException {
        Files.writeString(folder.resolve(layer).resolve("web.yaml"), text);
    }
}
