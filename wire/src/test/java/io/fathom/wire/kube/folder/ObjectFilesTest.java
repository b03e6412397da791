// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.folder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.folder.ObjectFiles.Patched;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ObjectFilesTest {
    private static final ObjectName WEB = new ObjectName("Pod", "shop", "web-1.a");
    private static final String POD = """
            {"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-1.a","namespace":"shop","uid":"u1",
             "annotations":{"a":"1","b":"yes"}},"spec":{"nodeName":"n1","containers":[{"name":"a","tty":true,"image":null,"resources":{"limits":{"cpu":2.50}}}]}}""";

    @TempDir
    Path folder;

    @Test
    void whenObjectIsPutPatchedAndDeleted_thenFilesFollow() {
        var files = ObjectFiles.in(folder.resolve("new"));
        assertThat(files.put(POD)).isEqualTo(WEB);
        assertThat(files.read(WEB))
                .hasValueSatisfying(text -> assertThat(text).contains("\"tty\":true,\"image\":null", "\"cpu\":2.50"));
        assertThat(files.patch(WEB, "{\"metadata\":{\"annotations\":{\"a\":null,\"c\":\"3\"}}}"))
                .isEqualTo(Patched.DONE);
        assertThat(files.read(WEB))
                .hasValueSatisfying(text -> assertThat(text)
                        .contains("\"annotations\":{\"b\":\"yes\",\"c\":\"3\"}")
                        .contains("\"nodeName\":\"n1\""));
        assertThat(files.patch(WEB, "{\"metadata\":{\"annotations\":{\"a\":null,\"c\":\"3\"}}}"))
                .isEqualTo(Patched.NO_CHANGE);
        assertThat(files.names("Pod")).containsExactly(WEB);
        assertThat(files.names("Service")).isEmpty();
        assertThat(files.delete(WEB)).isTrue();
        assertThat(files.delete(WEB)).isFalse();
        assertThat(files.read(WEB)).isEmpty();
        assertThat(files.names("Pod")).isEmpty();
    }

    @Test
    void givenAnotherUidOrNoObject_whenPatched_thenNothingIsWritten() {
        var files = ObjectFiles.in(folder);
        assertThat(files.patch(WEB, "{\"metadata\":{\"uid\":\"u1\"}}")).isEqualTo(Patched.ABSENT);
        files.put(POD);
        assertThat(files.patch(WEB, "{\"metadata\":{\"uid\":\"u2\",\"annotations\":{\"a\":\"2\"}}}"))
                .isEqualTo(Patched.ANOTHER_UID);
        assertThat(files.read(WEB)).hasValueSatisfying(text -> assertThat(text).contains("\"a\":\"1\""));
        assertThat(files.patch(WEB, "{\"metadata\":{\"uid\":\"u1\",\"annotations\":{\"a\":\"2\"}}}"))
                .isEqualTo(Patched.DONE);
    }

    @Test
    void givenNoObject_thenItIsRefused() {
        var files = ObjectFiles.in(folder);
        assertThatThrownBy(() -> files.put("[]")).isInstanceOf(ProblemException.class);
        assertThatThrownBy(() -> files.put("{\"kind\":\"Pod\"}")).isInstanceOf(ProblemException.class);
        assertThatThrownBy(() -> files.put("{\"kind\":\"Pod\",\"metadata\":{\"name\":\"../x\"}}"))
                .isInstanceOf(ProblemException.class);
        assertThatThrownBy(() -> files.put("{\"kind\":\"Pod\"")).isInstanceOf(ProblemException.class);
    }

    @Test
    void whenManyPatchAtOnce_thenNothingIsLost() throws Exception {
        ObjectFiles.in(folder).put(POD);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var work = IntStream.range(0, 100)
                    .<Callable<Patched>>mapToObj(i -> () -> ObjectFiles.in(folder)
                            .patch(WEB, "{\"metadata\":{\"annotations\":{\"k%d\":\"%d\"}}}".formatted(i, i)))
                    .toList();
            for (var result : threads.invokeAll(work)) {
                assertThat(result.get()).isEqualTo(Patched.DONE);
            }
        }
        var text = ObjectFiles.in(folder).read(WEB).orElseThrow();
        for (var i = 0; i < 100; i++) {
            assertThat(text).contains("\"k%d\":\"%d\"".formatted(i, i));
        }
        try (var left = Files.list(folder)) {
            assertThat(left.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder(".lock", "pod_shop_web-1.a.yaml");
        }
    }

    @Test
    void whenObjectIsWritten_thenFolderSourceTells() {
        try (var it = FolderFixture.open(folder)) {
            var files = ObjectFiles.in(folder);
            files.put(POD);
            it.awaitNames("Pod shop/web-1.a");
            assertThat(it.sink.one(PodManifest.class, "web-1.a").node()).isEqualTo("n1");
            files.delete(WEB);
            it.awaitNames();
            assertThat(it.source.problems()).isEmpty();
        }
    }
}
