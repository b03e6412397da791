// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd.clusters;

import io.fathom.base.flow.Commit;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.model.peering.ClusterSummary;
import io.fathom.wire.peering.SummaryCodec;
import io.fathom.wire.pki.IssuerKey;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.xds.store.ResourceBatch;
import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.store.XdsResource;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Consumer;

/// Hands what other clusters may know to their streams. To be told of a change after node proxies are: the first
/// batch of the store has to be theirs. Runs on the thread that brought the change.
public final class SummaryPublisher implements Consumer<Commit> {
    private final AmbientMesh mesh;
    private final ResourceStore store;
    private final String cluster;
    /// Those that signed before as well: what they signed is still in use.
    private final Set<String> issuers = new ConcurrentSkipListSet<>();
    private volatile boolean first = true;

    /// @param cluster our own
    public SummaryPublisher(AmbientMesh mesh, ResourceStore store, String cluster) {
        this.mesh = mesh;
        this.store = store;
        this.cluster = cluster;
    }

    @Override
    public void accept(Commit commit) {
        var batch = new ResourceBatch();
        batch.put(SummaryCodec.CLUSTER, cluster());
        if (first) {
            commit.cut()
                    .of(mesh.exported())
                    .forEach((_, summary) -> batch.put(SummaryCodec.SERVICE, SummaryCodec.resource(summary)));
            commit.cut()
                    .of(mesh.exportedEndpoints())
                    .forEach((_, endpoints) -> batch.put(SummaryCodec.ENDPOINTS, SummaryCodec.resource(endpoints)));
            first = false;
        }
        for (var change : commit.changes(mesh.exported())) {
            change.current()
                    .ifPresentOrElse(
                            summary -> batch.put(SummaryCodec.SERVICE, SummaryCodec.resource(summary)),
                            () -> batch.remove(
                                    SummaryCodec.SERVICE, change.key().path()));
        }
        for (var change : commit.changes(mesh.exportedEndpoints())) {
            change.current()
                    .ifPresentOrElse(
                            endpoints -> batch.put(SummaryCodec.ENDPOINTS, SummaryCodec.resource(endpoints)),
                            () -> batch.remove(
                                    SummaryCodec.ENDPOINTS, change.key().path()));
        }
        store.publish(batch); // what is the same as before is no news
    }

    private XdsResource cluster() {
        return SummaryCodec.resource(
                new ClusterSummary(cluster, mesh.network(), mesh.trustDomains().getFirst(), issuers));
    }

    /// Tells who signs for our cluster. Any thread.
    public void signedWith(TlsIdentity identity) {
        var isNew = IssuerKey.of(identity.chain(), identity.roots()).filter(issuers::add);
        if (isNew.isPresent() && !first) {
            var batch = new ResourceBatch();
            batch.put(SummaryCodec.CLUSTER, cluster());
            store.publish(batch);
        }
    }
}
