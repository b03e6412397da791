// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import io.fathom.base.lang.SystemTimeline;
import io.fathom.base.work.Parts;
import io.fathom.control.ambient.input.Feature;
import io.fathom.control.status.AddressWriter;
import io.fathom.control.status.ElectionLock;
import io.fathom.control.status.ImportWriter;
import io.fathom.control.status.LeaderTask;
import io.fathom.control.status.NodeUntainter;
import io.fathom.control.status.StatusWriter;

/// Writes back what the control plane has to say about objects, and takes taints off nodes, while we lead;
/// [GatewayPart] does it for Gateways and their routes.
final class StatusPart implements ClusterPart {
    private final ClusterLink link;
    private final Parts parts = new Parts();

    StatusPart(ClusterLink link) {
        this.link = link;
    }

    @Override
    public void start() {
        var timeline = parts.keep(new SystemTimeline());
        var desk = link.desk(timeline);
        parts.keep(link.compete(
                ElectionLock.STATUS, timeline, LeaderTask.both(new StatusWriter(desk), new ImportWriter(desk))));
        if (link.config().features().contains(Feature.ADDRESS_ALLOCATION)) {
            parts.keep(link.compete(ElectionLock.ADDRESSES, timeline, new AddressWriter(desk)));
        }
        link.config()
                .replica()
                .untaint()
                .ifPresent(task ->
                        parts.keep(link.compete(ElectionLock.NODE_UNTAINT, timeline, new NodeUntainter(desk, task))));
    }

    @Override
    public void close() {
        parts.close();
    }
}
