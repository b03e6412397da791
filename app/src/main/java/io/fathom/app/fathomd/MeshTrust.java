// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import io.fathom.base.flow.Commit;
import io.fathom.base.work.Parts;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.ca.Authority;
import io.fathom.model.trust.TrustMap;
import io.fathom.wire.pki.TrustPool;
import io.fathom.wire.pki.TrustRoots;
import io.fathom.wire.sds.TrustSecret;
import io.fathom.wire.xds.store.ResourceBatch;
import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.store.XdsResource;
import io.fathom.wire.xds.store.XdsType;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Whose roots vouch for which trust domain: tells node proxies of each change, verifies those who come to our own
/// ports, and tells who has to look again at what is open when something was withdrawn. Any thread.
final class MeshTrust implements Consumer<Commit>, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(MeshTrust.class);

    private final AmbientMesh mesh;
    private final ResourceStore store;
    private final List<Runnable> additions = new CopyOnWriteArrayList<>();
    private final List<Runnable> revocations = new CopyOnWriteArrayList<>();
    private final ExecutorService executor =
            Executors.newSingleThreadExecutor(Thread.ofVirtual().name("trust").factory());
    private final Parts parts = new Parts(Parts.Order.FIRST_FIRST);
    private TrustMap map = TrustMap.NOTHING; // by the writer of the flow alone
    private volatile Optional<TrustPool> pool = Optional.empty();

    /// To be subscribed to the mesh after whoever publishes it: the first batch of the store has to be theirs.
    MeshTrust(AmbientMesh mesh, ResourceStore store) {
        this.mesh = mesh;
        this.store = store;
    }

    /// Nobody is told of anything before this. The first manifests have been read by then.
    void begin(Authority authority) {
        parts.keep(authority.subscribe(() -> own(authority)));
        own(authority);
    }

    private void own(Authority authority) {
        var roots = Set.copyOf(TrustRoots.of(authority.roots()));
        if (!roots.isEmpty()) {
            mesh.trust().ownRoots(roots);
        }
    }

    /// Empty while our own roots are not known.
    Optional<TrustPool> pool() {
        return pool;
    }

    /// Calls the listener after something was added, and nothing withdrawn.
    void onAddition(Runnable listener) {
        additions.add(listener);
    }

    /// Calls the listener after something was withdrawn.
    void onRevocation(Runnable listener) {
        revocations.add(listener);
    }

    @Override
    public void accept(Commit commit) {
        var now = mesh.trust().map(commit.cut());
        if (now.equals(map) || now.equals(TrustMap.NOTHING)) {
            return;
        }
        var before = map;
        map = now;
        pool = Optional.of(TrustPool.of(now));
        var batch = new ResourceBatch();
        batch.put(XdsType.SECRET, XdsResource.of(TrustSecret.NAME, TrustSecret.encode(now)));
        store.publish(batch);
        log.atInfo().addKeyValue("domains", now.domains()).log("trust has changed");
        if (now.revokes(before)) {
            later(() -> {
                mesh.trust().revoked(Integer.toHexString(now.hashCode()));
                revocations.forEach(Runnable::run);
            });
        } else {
            later(() -> additions.forEach(Runnable::run));
        }
    }

    private void later(Runnable task) {
        try {
            executor.execute(task);
        } catch (RejectedExecutionException _) {
            // closed
        }
    }

    @Override
    public void close() {
        parts.close();
        executor.close();
    }
}
