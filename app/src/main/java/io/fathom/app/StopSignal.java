package io.fathom.app;

import java.util.concurrent.CountDownLatch;

/// The wish to stop, which a signal or the program itself may have. After a signal the process stays until the program
/// says that it has stopped. Any thread.
public final class StopSignal {
    private final CountDownLatch wanted = new CountDownLatch(1);
    private final CountDownLatch stopped = new CountDownLatch(1);

    private StopSignal() {}

    /// Listens to the signals that end a process, from now on.
    public static StopSignal install() {
        var signal = new StopSignal();
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().name("stop").unstarted(signal::arrived));
        return signal;
    }

    private void arrived() {
        wanted.countDown();
        try {
            stopped.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
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
    public void stopped() {
        stopped.countDown();
    }
}
