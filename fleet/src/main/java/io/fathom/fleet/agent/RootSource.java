// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.lang.Timeline;
import io.fathom.base.work.Parts;
import io.fathom.model.trust.TrustRoot;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeQuery;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.api.ObjectWatch.Change;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.TrustRoots;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Follows the roots of the agent's own cluster. What goes away or cannot be read changes nothing: roots that were told
/// stay told. The sink is called by threads of ours, one at a time.
public final class RootSource implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(RootSource.class);
    private static final String CONFIG_MAP = "istio-ca-root-cert";
    private static final Duration LOOK = Duration.ofSeconds(2);

    private final Consumer<List<TrustRoot>> sink;
    private final Parts parts = new Parts();
    // guarded by this
    private String seen = "";
    private boolean closed;

    private RootSource(Consumer<List<TrustRoot>> sink) {
        this.sink = sink;
    }

    /// Reads them from what the control plane writes for its clients.
    ///
    /// @param namespace of the control plane
    public static RootSource open(KubeClient client, String namespace, Consumer<List<TrustRoot>> sink) {
        var source = new RootSource(sink);
        var query = KubeQuery.all(KubeResource.CONFIG_MAPS)
                .inNamespace(namespace)
                .withFields("metadata.name=" + CONFIG_MAP);
        source.parts.keep(client.watch(query, changes -> {
            for (var change : changes) {
                if (change instanceof Change.Put(var object)) {
                    source.take(object.root().at("data").at("root-cert.pem").text());
                }
            }
        }));
        return source;
    }

    /// Reads them from a file, which is looked at every two seconds and may come later.
    public static RootSource open(Path file, Timeline timeline, Consumer<List<TrustRoot>> sink) {
        var source = new RootSource(sink);
        source.look(file, timeline);
        return source;
    }

    private synchronized void look(Path file, Timeline timeline) {
        if (closed) {
            return;
        }
        try {
            take(Files.readString(file));
        } catch (IOException e) {
            if (seen.isEmpty()) {
                seen = "none"; // once
                report(Problem.ofInput(
                        "root-file-unreadable",
                        file + " cannot be read: " + e,
                        "name the file with the root certificates of the mesh: --root-file FILE"));
            }
        }
        var _ = timeline.at(timeline.instant().plus(LOOK), () -> look(file, timeline));
    }

    private synchronized void take(String pem) {
        if (closed || pem.equals(seen)) {
            return;
        }
        seen = pem;
        try {
            sink.accept(TrustRoots.of(Pem.certificates(pem)));
        } catch (ProblemException e) {
            report(e.problem());
        }
    }

    private static void report(Problem problem) {
        log.atWarn()
                .addKeyValue("code", problem.code())
                .addKeyValue("problem", problem)
                .log("the roots of this cluster are not known");
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        parts.close();
    }
}
