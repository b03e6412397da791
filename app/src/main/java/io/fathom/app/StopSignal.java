// SPDX-License-Identifier: Apache-2.0
package io.fathom.app;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/// The wish to stop, which a signal or the program itself may have. After a signal the process stays until the program
/// says that it has stopped, and then exits with the program's code. By itself the JVM would exit with 143 after
/// SIGTERM, which a kubelet takes for a failure. Any thread.
public final class StopSignal {
    private final CountDownLatch wanted = new CountDownLatch(1);
    private final CompletableFuture<Integer> code = new CompletableFuture<>();

    private StopSignal() {}

    /// Listens to the signals that end a process, from now on.
    public static StopSignal install() {
        var signal = new StopSignal();
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().name("stop").unstarted(signal::arrived));
        return signal;
    }

    private void arrived() {
        wanted.countDown();
        // Only this changes the code of an exit that a signal has begun. There are no other hooks that it could cut.
        Runtime.getRuntime().halt(code.join());
    }

    /// As if a signal had come, but nobody waits for the end.
    public void want() {
        wanted.countDown();
    }

    public boolean isWanted() {
        return wanted.getCount() == 0;
    }

    public void await() throws InterruptedException {
        wanted.await();
    }

    /// Nothing is left to do: the process may end.
    ///
    /// @param exitCode what it ends with
    public void stopped(int exitCode) {
        code.complete(exitCode);
    }
}
