// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd.clusters;

import io.fathom.base.flow.Commit;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.model.peering.ClusterSummary;
import io.fathom.wire.peering.SummaryCodec;
import io.fathom.wire.xds.store.ResourceBatch;
import io.fathom.wire.xds.store.ResourceStore;
import java.util.function.Consumer;

/// Hands what other clusters may know to their streams. To be told of a change after node proxies are: the first
/// batch of the store has to be theirs. Runs on the thread that brought the change.
public final class SummaryPublisher implements Consumer<Commit> {
    private final AmbientMesh mesh;
    private final ResourceStore store;
    private final String cluster;
    private boolean first = true;

    /// @param cluster our own
    public SummaryPublisher(AmbientMesh mesh, ResourceStore store, String cluster) {
        this.mesh = mesh;
        this.store = store;
        this.cluster = cluster;
    }

    @Override
    public void accept(Commit commit) {
        var batch = new ResourceBatch();
        batch.put(
                SummaryCodec.CLUSTER,
                SummaryCodec.resource(new ClusterSummary(
                        cluster, mesh.network(), mesh.trustDomains().getFirst())));
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
}
