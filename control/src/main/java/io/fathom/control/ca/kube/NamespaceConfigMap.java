// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.kube;

import io.fathom.base.lang.Backoff;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.api.KubeQuery;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.api.ObjectWatch;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.MisreadException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps one file in a ConfigMap of every namespace that shall have it: made where it is missing, repaired where
/// somebody changed it, changed everywhere when its content does. Other entries and labels of the ConfigMap stay.
///
/// One virtual thread compares and writes, so what comes in meanwhile is looked at together afterwards; a failure is
/// tried again with growing pauses. Of several replicas only the leader runs one.
public final class NamespaceConfigMap implements AutoCloseable {
    /// Where nobody needs it, as upstream decided.
    public static final Set<String> EXEMPT = Set.of("kube-public", "kube-node-lease", "local-path-storage");

    private static final Logger log = LoggerFactory.getLogger(NamespaceConfigMap.class);
    private static final String MANAGER = "istiod-namespace-controller";
    private static final String LABEL = "istio.io/config";
    private static final String DRIFTED = "";

    private final KubeClient client;
    private final File file;
    private final Supplier<Set<String>> namespaces;
    private final Map<String, String> held = new ConcurrentHashMap<>(); // by namespace
    private final Semaphore signals = new Semaphore(0);
    private final Backoff backoff = new Backoff(Duration.ofMillis(200), Duration.ofSeconds(30), new SplittableRandom());
    private final ObjectWatch watch;
    private final Thread thread;
    private volatile boolean synced;
    private volatile boolean closed;

    /// What is kept.
    ///
    /// @param configMap its name
    /// @param key the name of the file in it
    /// @param content asked for whenever it may have changed; nothing is done while it is empty
    public record File(String configMap, String key, Supplier<String> content) {
        /// What verifies certificates of the mesh.
        public static File ofRoots(Supplier<String> pem) {
            return new File("istio-ca-root-cert", "root-cert.pem", pem);
        }

        /// What takes certificates back before their end.
        public static File ofRevocations(Supplier<String> pem) {
            return new File("istio-ca-crl", "ca-crl.pem", pem);
        }
    }

    private NamespaceConfigMap(KubeClient client, File file, Supplier<Set<String>> namespaces) {
        this.client = client;
        this.file = file;
        this.namespaces = namespaces;
        this.thread = Thread.ofVirtual().name("configmap " + file.configMap()).unstarted(this::run);
        this.watch = client.watch(
                KubeQuery.all(KubeResource.CONFIG_MAPS).withFields("metadata.name=" + file.configMap()), this::changed);
    }

    /// Begins at once.
    ///
    /// @param namespaces that shall have it; asked for whenever [#lookAgain()] is called
    public static NamespaceConfigMap start(KubeClient client, File file, Supplier<Set<String>> namespaces) {
        var configMap = new NamespaceConfigMap(client, file, namespaces);
        configMap.thread.start();
        return configMap;
    }

    /// The content or the namespaces may have changed.
    public void lookAgain() {
        signals.release();
    }

    private void changed(List<ObjectWatch.Change> batch) {
        for (var change : batch) {
            switch (change) {
                case ObjectWatch.Change.Put put -> held.put(put.object().namespace(), content(put.object()));
                case ObjectWatch.Change.Remove gone -> held.remove(gone.namespace());
            }
        }
        synced = true;
        lookAgain();
    }

    private String content(KubeObject object) {
        try {
            var labelled = object.metadata().at("labels").at(LABEL).text().equals("true");
            var text = labelled ? object.root().at("data").at(file.key()).text() : DRIFTED;
            var wanted = file.content().get();
            return text.equals(wanted) ? wanted : text; // one text for thousands of namespaces
        } catch (MisreadException e) {
            return DRIFTED;
        }
    }

    private void run() {
        try {
            while (!closed) {
                signals.acquire();
                signals.drainPermits();
                while (!closed && !writeAll()) {
                    signals.tryAcquire(backoff.next().toMillis(), TimeUnit.MILLISECONDS);
                }
                backoff.reset();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed
        }
    }

    /// Whether all is as it shall be.
    private boolean writeAll() {
        var content = file.content().get();
        if (!synced || content.isEmpty()) {
            return true;
        }
        var failed = new ArrayList<String>();
        for (var namespace : namespaces.get()) {
            if (!closed && !EXEMPT.contains(namespace) && !content.equals(held.get(namespace))) {
                write(namespace, content, failed);
            }
        }
        return failed.isEmpty();
    }

    private void write(String namespace, String content, List<String> failed) {
        var object = Json.of(Map.of(
                "apiVersion",
                "v1",
                "kind",
                "ConfigMap",
                "metadata",
                Map.of("name", file.configMap(), "namespace", namespace, "labels", Map.of(LABEL, "true")),
                "data",
                Map.of(file.key(), content)));
        try {
            client.apply(KubeResource.CONFIG_MAPS, namespace, file.configMap(), object, MANAGER);
            held.put(namespace, content);
            log.atDebug().addKeyValue("namespace", namespace).log("the roots were written");
        } catch (ProblemException e) {
            if (closed || isGone(e)) {
                return;
            }
            if (failed.isEmpty()) {
                log.atWarn()
                        .addKeyValue("code", e.problem().code())
                        .addKeyValue("problem", e.problem())
                        .log("a ConfigMap could not be written");
            }
            failed.add(namespace);
        }
    }

    /// Whether the namespace is no more, or about to be.
    private static boolean isGone(ProblemException e) {
        var code = e.problem().code();
        return code.equals("kube-not-found")
                || (code.equals("kube-forbidden") && e.problem().message().contains("being terminated"));
    }

    @Override
    public void close() {
        closed = true;
        watch.close();
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
