// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.posix;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The one thread that visits other network namespaces. It is at home between any two tasks: if the way back fails the
/// process ends at once, since whatever it did next would happen in a pod.
///
/// A thread that is started inside another namespace stays there, so a task must not start any: it makes sockets and
/// reads settings, with classes that have been used before.
public final class NamespaceThread implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(NamespaceThread.class);
    private static final int LOST = 70;

    private final NetworkNamespace home;
    /// Bounded by the threads that wait for an answer, and by what they have under way with [#submit].
    private final LinkedBlockingQueue<Visit<?>> visits = new LinkedBlockingQueue<>();

    private volatile boolean closed;

    /// What is done over there. It must be short and must not start threads.
    @FunctionalInterface
    public interface Task<T> {
        T run() throws IOException;
    }

    private record Visit<T>(NetworkNamespace where, Task<T> task, CompletableFuture<T> answer) {}

    private NamespaceThread(NetworkNamespace home) {
        this.home = home;
    }

    /// Starts it in the namespace of the caller, and proves that it is allowed to travel.
    public static NamespaceThread start() throws PosixException {
        Libc.warm();
        var thread = new NamespaceThread(NetworkNamespace.current());
        var _ = Thread.ofPlatform().daemon().name("namespace-visitor").start(thread::loop);
        try {
            var _ = thread.inside(thread.home, () -> "allowed");
        } catch (IOException e) {
            thread.close();
            throw e instanceof PosixException posix ? posix : new PosixException("setns", e.toString(), Errno.EINVAL);
        }
        return thread;
    }

    public NetworkNamespace home() {
        return home;
    }

    /// Waits for the answer.
    public <T> T inside(NetworkNamespace where, Task<T> task) throws IOException {
        try {
            return submit(where, task).join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof IOException cause) {
                throw cause;
            }
            throw e;
        }
    }

    /// The answer comes on this thread: continue elsewhere.
    public <T> CompletableFuture<T> submit(NetworkNamespace where, Task<T> task) {
        var visit = new Visit<>(where, task, new CompletableFuture<T>());
        visits.add(visit);
        if (closed) {
            refuseRest();
        }
        return visit.answer();
    }

    /// What waits is refused; a task that runs is finished.
    @Override
    public void close() {
        closed = true;
        visits.add(new Visit<>(home, () -> "wakes the thread", new CompletableFuture<>()));
    }

    private void loop() {
        try {
            while (!closed) {
                visit(visits.take());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        refuseRest();
        home.close();
    }

    private void refuseRest() {
        for (var visit = visits.poll(); visit != null; visit = visits.poll()) {
            visit.answer().completeExceptionally(new IOException("the namespace thread has stopped"));
        }
    }

    private <T> void visit(Visit<T> visit) {
        T answer;
        try {
            visit.where().enter();
            try {
                answer = visit.task().run();
            } finally {
                goHome();
            }
        } catch (IOException | RuntimeException | Error e) {
            visit.answer().completeExceptionally(e);
            return;
        }
        visit.answer().complete(answer);
    }

    private void goHome() {
        try {
            home.enter();
        } catch (PosixException | RuntimeException | Error e) {
            log.atError().setCause(e).log("cannot leave a network namespace again");
            Runtime.getRuntime().halt(LOST);
        }
    }
}
