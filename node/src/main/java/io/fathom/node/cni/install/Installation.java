// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.install;

import io.fathom.base.lang.Backoff;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.node.cni.install.InstallObserver.InstallResult;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps the plugin installed: puts it in place, watches files, network configuration and token, and puts it in place
/// again whenever somebody changed them.
///
/// It works on a virtual thread of its own until it is closed. Closing leaves everything in place, as an agent that is
/// replaced should; [#remove()] takes it away.
public final class Installation implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Installation.class);
    private static final Duration LOOK_ANYWAY = Duration.ofSeconds(60);
    private static final Duration CLOSE_TOGETHER = Duration.ofSeconds(5);
    private static final Duration LONGEST_REST = Duration.ofSeconds(1);
    private static final int CONFLICT = 5;

    /// Part of a pass.
    private interface Part {
        void put() throws IOException;
    }

    private final InstallConfig config;
    private final InstallObserver observer;
    private final PluginFiles files;
    private final PluginKubeconfig kubeconfig;
    private final NetworkEntry entry;
    private final Thread thread;
    private final Backoff pauses = new Backoff(Duration.ofMillis(50), LONGEST_REST, new SplittableRandom());
    private int repeated;
    private long last = System.nanoTime() - CLOSE_TOGETHER.toNanos();
    private volatile boolean ready;
    private volatile boolean closed;
    private volatile Optional<Problem> trouble = Optional.empty();

    private Installation(InstallConfig config, InstallObserver observer) {
        this.config = config;
        this.observer = observer;
        this.files = new PluginFiles(config);
        this.kubeconfig = new PluginKubeconfig(config);
        this.entry = new NetworkEntry(config);
        this.thread = Thread.ofVirtual().name("cni-installation").unstarted(this::run);
    }

    /// Begins at once.
    public static Installation start(InstallConfig config, InstallObserver observer) {
        var installation = new Installation(config, observer);
        installation.thread.start();
        return installation;
    }

    /// Whether everything is in place and watched.
    public boolean ready() {
        return ready;
    }

    /// Why not, if it is not.
    public Optional<Problem> trouble() {
        return trouble;
    }

    private void run() {
        observer.notReady();
        try {
            while (!closed) {
                try (var changes = watched()) {
                    pass(changes);
                } catch (IOException e) {
                    fail(InstallResult.CREATE_CNI_CONFIG_FAILURE, problem(e));
                    Thread.sleep(pauses.next());
                } catch (RuntimeException e) {
                    log.atError().setCause(e).log("installing the plugin failed");
                    Thread.sleep(pauses.next());
                }
            }
        } catch (InterruptedException e) {
            // closed
        }
        unready();
    }

    /// Watched first and looked at afterwards: what happens in between is not missed.
    private Changes watched() throws IOException {
        Files.createDirectories(config.binFolder());
        return Changes.in(List.of(config.binFolder(), config.netFolder(), config.account()));
    }

    private void pass(Changes changes) throws IOException, InterruptedException {
        if (!install()) {
            changes.await(pauses.next()); // whoever is to give us something may do so now
            return;
        }
        var now = System.nanoTime();
        repeated = now - last < CLOSE_TOGETHER.toNanos() ? repeated + 1 : 0;
        last = now;
        if (isRight()) {
            stay(changes);
        }
        rest();
    }

    /// Somebody takes away what we put there: together we would keep the disk busy.
    private void rest() throws InterruptedException {
        if (repeated == 0) {
            pauses.reset();
            return;
        }
        if (repeated == CONFLICT) {
            log.atWarn()
                    .addKeyValue("folder", config.netFolder())
                    .log("something else keeps changing what we install; with Cilium, set cni.exclusive=false");
        }
        if (!closed) {
            Thread.sleep(pauses.next());
        }
    }

    /// Until something is no longer as it should be.
    private void stay(Changes changes) throws IOException, InterruptedException {
        ready = true;
        trouble = Optional.empty();
        observer.ready();
        try {
            do {
                changes.await(LOOK_ANYWAY);
            } while (!closed && isRight());
        } finally {
            unready();
        }
    }

    private void unready() {
        if (ready) {
            ready = false;
            observer.notReady();
        }
    }

    private boolean isRight() throws IOException {
        try {
            return files.isRight() && kubeconfig.isRight() && entry.isRight();
        } catch (ProblemException e) {
            return false;
        }
    }

    private boolean install() {
        var done = attempt(files::put, InstallResult.COPY_BINARIES_FAILURE)
                && attempt(kubeconfig::put, InstallResult.CREATE_KUBECONFIG_FAILURE)
                && attempt(entry::put, InstallResult.CREATE_CNI_CONFIG_FAILURE);
        if (done) {
            observer.installed(InstallResult.SUCCESS);
        }
        return done;
    }

    private boolean attempt(Part part, InstallResult failure) {
        try {
            part.put();
            return true;
        } catch (IOException e) {
            fail(failure, problem(e));
        } catch (ProblemException e) {
            fail(failure, e.problem());
        }
        return false;
    }

    private void fail(InstallResult result, Problem problem) {
        var known = trouble.equals(Optional.of(problem));
        trouble = Optional.of(problem);
        observer.installed(result);
        if (!known && !closed) {
            log.atWarn()
                    .addKeyValue("code", problem.code())
                    .addKeyValue("problem", problem)
                    .log("cannot install the plugin");
        }
    }

    private static Problem problem(IOException e) {
        return new Problem(
                "cni-install-failed",
                "files of the host cannot be written: " + e,
                "check mounts, permissions and free space",
                Problem.Origin.SERVER,
                Problem.Retry.SENSIBLE);
    }

    /// Stops watching; everything stays in place.
    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Stops watching and takes everything away again, the entry first: nobody may call a plugin that is gone. What
    /// cannot be removed is logged and left.
    public void remove() {
        close();
        attempt(entry::remove, InstallResult.CREATE_CNI_CONFIG_FAILURE);
        attempt(kubeconfig::remove, InstallResult.CREATE_KUBECONFIG_FAILURE);
        attempt(files::remove, InstallResult.COPY_BINARIES_FAILURE);
        log.atInfo().log("the plugin is removed from this node");
    }
}
