// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.webhook;

import io.fathom.base.lang.Backoff;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.api.KubeQuery;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.api.ObjectWatch;
import io.fathom.wire.kube.tree.MisreadException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps the webhook configurations of our revision usable: the roots that verify us in every `caBundle`, and
/// `failurePolicy: Fail` for validation, but not before a deliberately bad object has been refused, so that a webhook
/// which nobody can reach never locks anybody out.
///
/// Every replica does so. All of them write the same, and a write is refused if somebody else was faster, so usually
/// one does. One virtual thread compares and writes; the more it has written lately, the longer it waits in between.
public final class WebhookConfigurations implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(WebhookConfigurations.class);
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    private static final long CALM_NANOS = Duration.ofMinutes(1).toNanos();

    private record Key(KubeResource resource, String name) {}

    private final KubeClient client;
    private final Supplier<String> roots;
    private final ValidationProbe probe;
    private final Map<Key, KubeObject> known = new ConcurrentHashMap<>();
    private final Semaphore signals = new Semaphore(0);
    private final Backoff retries = new Backoff(SHORTEST_PAUSE, LONGEST_PAUSE, new SplittableRandom());
    private final Backoff writes = new Backoff(SHORTEST_PAUSE, LONGEST_PAUSE, new SplittableRandom());
    private final List<ObjectWatch> watches = new ArrayList<>();
    private final Thread thread;
    private long lastWrite;
    private volatile boolean closed;

    private WebhookConfigurations(KubeClient client, String namespace, String revision, Supplier<String> roots) {
        this.client = client;
        this.roots = roots;
        this.probe = new ValidationProbe(client, namespace, revision);
        this.thread = Thread.ofVirtual().name("webhook-configurations").unstarted(this::run);
        // By name, so that we need not be allowed to see those of others.
        follow(KubeQuery.all(KubeResource.VALIDATING_WEBHOOKS)
                .withFields("metadata.name=" + validator(namespace, revision)));
        follow(KubeQuery.all(KubeResource.MUTATING_WEBHOOKS).withLabels("istio.io/rev=" + revision));
    }

    /// What the configuration for validation is called.
    static String validator(String namespace, String revision) {
        return "istio-validator" + (revision.equals("default") ? "" : "-" + revision) + "-" + namespace;
    }

    private void follow(KubeQuery query) {
        watches.add(client.watch(query, batch -> changed(query.resource(), batch)));
    }

    /// Begins at once.
    ///
    /// @param namespace that we run in
    /// @param roots as PEM; nothing is done while there are none
    public static WebhookConfigurations start(
            KubeClient client, String namespace, String revision, Supplier<String> roots) {
        var configurations = new WebhookConfigurations(client, namespace, revision, roots);
        configurations.thread.start();
        return configurations;
    }

    /// The roots may have changed.
    public void lookAgain() {
        signals.release();
    }

    private void changed(KubeResource resource, List<ObjectWatch.Change> batch) {
        for (var change : batch) {
            switch (change) {
                case ObjectWatch.Change.Put put ->
                    known.put(new Key(resource, put.object().name()), put.object());
                case ObjectWatch.Change.Remove gone -> known.remove(new Key(resource, gone.name()));
            }
        }
        lookAgain();
    }

    private void run() {
        try {
            while (!closed) {
                signals.acquire();
                signals.drainPermits();
                while (!closed && !settle()) {
                    signals.tryAcquire(retries.next().toMillis(), TimeUnit.MILLISECONDS);
                }
                retries.reset();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed
        }
    }

    /// Whether nothing is left to do until something changes.
    private boolean settle() throws InterruptedException {
        var pem = roots.get();
        if (pem.isEmpty()) {
            return true;
        }
        var settled = true;
        for (var entry : known.entrySet()) {
            try {
                var draft = new ConfigurationDraft(entry.getValue()).withRoots(pem);
                if (entry.getKey().resource().equals(KubeResource.VALIDATING_WEBHOOKS) && draft.mayFailOpen()) {
                    // First our roots: without them nobody could ask us, and the probe would prove nothing.
                    if (!draft.isChanged()) {
                        if (probe.isRefused()) {
                            draft = draft.failingClosed();
                        } else {
                            settled = false;
                        }
                    }
                }
                if (draft.isChanged()) {
                    write(entry.getKey(), draft);
                }
            } catch (ProblemException e) {
                settled = false;
                log.atWarn()
                        .addKeyValue("code", e.problem().code())
                        .addKeyValue("problem", e.problem())
                        .log("a webhook configuration could not be kept up to date");
            } catch (MisreadException e) {
                log.atWarn().addKeyValue("problem", e.getMessage()).log("a webhook configuration makes no sense");
            }
        }
        return settled;
    }

    private void write(Key key, ConfigurationDraft draft) throws InterruptedException {
        var now = System.nanoTime();
        if (now - lastWrite > CALM_NANOS) {
            writes.reset();
        }
        Thread.sleep(writes.next());
        lastWrite = System.nanoTime();
        try {
            var stored = client.patch(key.resource(), "", key.name(), draft.patch());
            stored.ifPresent(object -> known.replace(key, object));
            log.atInfo().addKeyValue("configuration", key.name()).log("a webhook configuration was brought up to date");
            lookAgain();
        } catch (ProblemException e) {
            if (!e.problem().code().equals("kube-conflict")) {
                throw e;
            } // somebody else was faster: what it is now comes with the watch
        }
    }

    @Override
    public void close() {
        closed = true;
        watches.forEach(ObjectWatch::close);
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
