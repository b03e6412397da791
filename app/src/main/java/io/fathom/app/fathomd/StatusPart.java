package io.fathom.app.fathomd;

import io.fathom.app.fathomd.http.StatusMetrics;
import io.fathom.base.lang.SystemTimeline;
import io.fathom.control.ambient.Feature;
import io.fathom.control.status.AddressWriter;
import io.fathom.control.status.ElectionLock;
import io.fathom.control.status.LeaderTask;
import io.fathom.control.status.Leadership;
import io.fathom.control.status.RouteWriter;
import io.fathom.control.status.StatusWriter;
import io.fathom.control.status.WriteSettings;
import java.util.ArrayList;
import java.util.List;

/// Writes back what the control plane has to say about objects, while we lead.
final class StatusPart implements ClusterPart {
    private final ClusterLink link;
    private final StatusMetrics metrics;
    private final SystemTimeline timeline = new SystemTimeline();
    private final List<Leadership> leaderships = new ArrayList<>();

    StatusPart(ClusterLink link) {
        this.link = link;
        this.metrics = new StatusMetrics(link.metrics());
    }

    @Override
    public void start() {
        var cluster = link.config().clusterId();
        compete(
                ElectionLock.STATUS,
                new StatusWriter(link.client(), link.mesh(), cluster, link.clock(), WriteSettings.DEFAULT, metrics));
        compete(
                ElectionLock.GATEWAY_STATUS,
                new RouteWriter(link.client(), link.mesh(), link.clock(), WriteSettings.DEFAULT, metrics));
        if (link.config().features().contains(Feature.ADDRESS_ALLOCATION)) {
            compete(
                    ElectionLock.ADDRESSES,
                    new AddressWriter(link.client(), link.mesh(), cluster, WriteSettings.DEFAULT, metrics));
        }
    }

    private void compete(ElectionLock lock, LeaderTask task) {
        var leadership = Leadership.start(link.client(), lock, link.candidate(), timeline, task);
        leaderships.add(leadership);
        metrics.leads(lock, leadership::isLeader);
    }

    @Override
    public void close() {
        leaderships.reversed().forEach(Leadership::close);
        timeline.close();
    }
}
