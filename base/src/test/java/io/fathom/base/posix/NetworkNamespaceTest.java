// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.posix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fathom.base.testkit.TestNamespace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NetworkNamespaceTest {
    private static final Path OWN = Path.of("/proc/thread-self/ns/net");

    @Test
    void givenPod_whenVisited_thenTaskRunsThereAndThreadIsHomeAgain() throws Exception {
        try (var pod = TestNamespace.create();
                var namespace = NetworkNamespace.open(pod.path());
                var thread = NamespaceThread.start()) {
            var there =
                    thread.inside(namespace, () -> NetworkNamespace.current().identity());
            var home = thread.inside(
                    thread.home(), () -> NetworkNamespace.current().identity());

            assertThat(there).isEqualTo(namespace.identity()).isNotEqualTo(home);
            assertThat(home).isEqualTo(thread.home().identity());
        }
    }

    @Test
    void givenTwoHandlesOfOnePod_thenTheyAreTheSame_andOtherPodsAreNot() throws Exception {
        try (var one = TestNamespace.create();
                var other = TestNamespace.create();
                var first = NetworkNamespace.open(one.path());
                var second = first.duplicate();
                var third = NetworkNamespace.open(other.path())) {
            assertThat(second.identity()).isEqualTo(first.identity());
            assertThat(third.identity()).isNotEqualTo(first.identity());
        }
    }

    @Test
    void givenTaskThatFails_thenCallerHearsAndThreadIsHomeAgain() throws Exception {
        try (var pod = TestNamespace.create();
                var namespace = NetworkNamespace.open(pod.path());
                var thread = NamespaceThread.start()) {
            assertThatIOException()
                    .isThrownBy(() -> thread.inside(namespace, () -> {
                        throw new IOException("no luck");
                    }))
                    .withMessage("no luck");
            assertThatThrownBy(() -> thread.inside(namespace, () -> {
                        throw new IllegalStateException("bug");
                    }))
                    .isInstanceOf(CompletionException.class)
                    .hasRootCauseMessage("bug");

            assertThat(thread.inside(
                            thread.home(), () -> NetworkNamespace.current().identity()))
                    .isEqualTo(thread.home().identity());
        }
    }

    @Test
    void givenNameThatWasDeleted_whenStillHeld_thenCanBeVisited() throws Exception {
        try (var thread = NamespaceThread.start()) {
            var pod = TestNamespace.create();
            try (var namespace = NetworkNamespace.open(pod.path())) {
                pod.close();
                assertThat(thread.inside(namespace, () -> Files.isSymbolicLink(OWN)))
                        .isTrue();
            }
        }
    }

    @Test
    void givenManyCallers_whenTheyVisitManyPods_thenEachIsWhereItWanted_andNoThreadStaysThere() throws Exception {
        try (var one = TestNamespace.create();
                var other = TestNamespace.create();
                var first = NetworkNamespace.open(one.path());
                var second = NetworkNamespace.open(other.path());
                var thread = NamespaceThread.start()) {
            var answers = new HashSet<CompletableFuture<Boolean>>();
            for (int i = 0; i < 1000; i++) {
                var where = i % 2 == 0 ? first : second;
                answers.add(thread.submit(
                        where, () -> NetworkNamespace.current().identity().equals(where.identity())));
            }
            assertThat(answers).allMatch(CompletableFuture::join);
            assertThat(namespacesOfThreads()).hasSize(1);
        }
    }

    @Test
    void whenVirtualThreadEnters_thenRefused() throws Exception {
        try (var own = NetworkNamespace.current()) {
            var failure = new CompletableFuture<Throwable>();
            Thread.ofVirtual()
                    .start(() -> {
                        try {
                            own.enter();
                            failure.complete(new AssertionError("was let in"));
                        } catch (PosixException | RuntimeException e) {
                            failure.complete(e);
                        }
                    })
                    .join();
            assertThat(failure.join())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("platform thread");
        }
    }

    @Test
    void givenPlainFileOrOtherKindOfNamespace_whenOpened_thenRefusedWithoutLeak(@TempDir Path folder) throws Exception {
        var file = Files.createFile(folder.resolve("plain"));
        var before = openFiles();

        assertThatIOException().isThrownBy(() -> NetworkNamespace.open(file)).withMessageContaining("ENOTTY");
        assertThatIOException()
                .isThrownBy(() -> NetworkNamespace.open(Path.of("/proc/self/ns/mnt")))
                .withMessageContaining("not of the network");
        assertThatIOException()
                .isThrownBy(() -> NetworkNamespace.open(folder.resolve("absent")))
                .withMessageContaining("absent")
                .withMessageContaining("no such file");
        assertThat(openFiles()).isLessThanOrEqualTo(before); // others may have closed some meanwhile
    }

    @Test
    void givenClosedNamespace_whenVisited_thenRefusedInsteadOfEnteringAnotherFile() throws Exception {
        try (var thread = NamespaceThread.start()) {
            var namespace = NetworkNamespace.current();
            namespace.close();
            assertThatIOException().isThrownBy(() -> thread.inside(namespace, () -> "never"));
        }
    }

    @Test
    void givenStoppedThread_whenAsked_thenFailsInsteadOfWaiting() throws Exception {
        var thread = NamespaceThread.start();
        try (var own = NetworkNamespace.current()) {
            thread.close();
            assertThatIOException().isThrownBy(() -> thread.inside(own, () -> "never"));
        }
    }

    @Test
    void whenMarkIsSetOnSocketInPod_thenItIsThere() throws Exception {
        try (var pod = TestNamespace.create();
                var namespace = NetworkNamespace.open(pod.path());
                var thread = NamespaceThread.start();
                var socket = thread.inside(
                        namespace,
                        () -> NativeSocket.open(NativeSocket.SocketFamily.INET6, NativeSocket.SocketType.STREAM))) {
            for (var option : List.of(
                    SocketOption.IP_TRANSPARENT,
                    SocketOption.IP_FREEBIND,
                    SocketOption.IPV6_TRANSPARENT,
                    SocketOption.IPV6_FREEBIND,
                    SocketOption.REUSE_PORT)) {
                socket.set(option, 1);
                assertThat(socket.value(option)).describedAs(option.name()).isEqualTo(1);
            }
            socket.set(SocketOption.MARK, 1337);
            assertThat(socket.value(SocketOption.MARK)).isEqualTo(1337);
        }
    }

    @Test
    void whenOpenFilesLimitIsRaised_thenSoftEqualsHard() throws Exception {
        var before = OpenFilesLimit.current();
        try {
            OpenFilesLimit.apply(new OpenFilesLimit(1024, before.hard()));
            var raised = OpenFilesLimit.raise();
            assertThat(raised.soft()).isEqualTo(before.hard()).isEqualTo(raised.hard());
        } finally {
            OpenFilesLimit.apply(before);
        }
    }

    private static Set<String> namespacesOfThreads() throws IOException {
        try (var tasks = Files.list(Path.of("/proc/self/task"))) {
            return tasks.map(NetworkNamespaceTest::namespaceOf)
                    .filter(name -> !name.equals("gone"))
                    .collect(Collectors.toSet());
        }
    }

    private static String namespaceOf(Path task) {
        try {
            return Files.readSymbolicLink(task.resolve("ns/net")).toString();
        } catch (IOException e) {
            return "gone";
        }
    }

    static long openFiles() throws IOException {
        try (var files = Files.list(Path.of("/proc/self/fd"))) {
            return files.count();
        }
    }
}
