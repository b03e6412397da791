// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd.clusters;

import io.fathom.base.work.Parts;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.clusters.ClusterRegistry;
import io.fathom.control.clusters.RemoteSecrets;
import io.fathom.wire.kube.manifest.ManifestProblem;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Follows the Secrets that name other clusters while the mesh has several networks. When it has only one, the clusters
/// that came by Secrets leave.
public final class SecretsWhenNeeded implements AutoCloseable {
    private final AmbientMesh mesh;
    private final ClusterRegistry registry;
    private final Supplier<RemoteSecrets> opener;
    private final ExecutorService executor = Executors.newSingleThreadExecutor(
            Thread.ofVirtual().name("remote-secrets").factory());
    private final Parts parts = new Parts(Parts.Order.FIRST_FIRST);

    // guarded by this
    private @Nullable RemoteSecrets current;
    private boolean closed;

    private volatile boolean followed;

    private SecretsWhenNeeded(AmbientMesh mesh, ClusterRegistry registry, Supplier<RemoteSecrets> opener) {
        this.mesh = mesh;
        this.registry = registry;
        this.opener = opener;
        parts.keep(mesh.subscribe(_ -> {
            if (mesh.hasSeveralNetworks() != followed) {
                executor.execute(this::review); // joining waits for the writer that calls us
            }
        }));
    }

    /// Begins with the first reason for it.
    public static SecretsWhenNeeded follow(AmbientMesh mesh, ClusterRegistry registry, Supplier<RemoteSecrets> opener) {
        return new SecretsWhenNeeded(mesh, registry, opener);
    }

    /// Waits until all Secrets were seen once, if they count, but not longer than that.
    public void await(Duration patience) throws InterruptedException {
        review();
        var found = current();
        if (found.isPresent()) {
            found.get().await(patience);
        }
    }

    /// How many Secrets were added, changed and deleted, by upstream's words.
    public Map<List<String>, Integer> events() {
        return current().map(RemoteSecrets::events).orElse(Map.of());
    }

    public List<ManifestProblem> problems() {
        return current().map(RemoteSecrets::problems).orElse(List.of());
    }

    private synchronized Optional<RemoteSecrets> current() {
        return Optional.ofNullable(current);
    }

    private synchronized void review() {
        var wanted = mesh.hasSeveralNetworks();
        if (closed || wanted == followed) {
            return;
        }
        if (wanted) {
            current = opener.get();
        } else if (current != null) {
            current.close();
            current = null;
            registry.want(RemoteSecrets.CLAIMANT, List.of());
        }
        followed = wanted;
    }

    @Override
    public void close() {
        parts.close();
        executor.shutdown();
        synchronized (this) {
            closed = true;
            if (current != null) {
                current.close();
            }
        }
    }
}
