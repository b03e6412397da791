// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import io.fathom.app.fathomd.http.ControlMetrics;
import io.fathom.app.fathomd.http.StatusMetrics;
import io.fathom.base.lang.Timeline;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.deploy.GatewayTables;
import io.fathom.control.revision.RevisionTags;
import io.fathom.control.status.ElectionLock;
import io.fathom.control.status.LeaderTask;
import io.fathom.control.status.Leadership;
import io.fathom.control.status.Statements;
import io.fathom.control.status.StatusDesk;
import io.fathom.control.status.WriteSettings;
import io.fathom.wire.kube.api.KubeClient;

/// What a part of the control plane that works on a cluster may use. There is one only where objects come from an API
/// server.
///
/// @param client for any thread; ends with the control plane, after all parts
/// @param gateways what Gateways become, on the flow of the mesh
/// @param statements what is said about objects
/// @param identity who signs, and the roots
/// @param tags which names our revision has besides its own
record ClusterLink(
        KubeClient client,
        FathomdConfig config,
        AmbientMesh mesh,
        GatewayTables gateways,
        Statements statements,
        MeshIdentity identity,
        ControlMetrics metrics,
        StatusMetrics writes,
        RevisionTags tags) {

    StatusDesk desk(Timeline timeline) {
        return new StatusDesk(client, config.clusterId(), mesh, statements, timeline, WriteSettings.DEFAULT, writes);
    }

    /// Does a task whenever we lead. A lock is for one task: who holds it once would give it up for the other, too.
    Leadership compete(ElectionLock lock, Timeline timeline, LeaderTask task) {
        var candidate = config.candidate().withDefaultRevision(tags::defaultRevision);
        var leadership = Leadership.start(client, lock, candidate, timeline, task);
        writes.leads(lock, leadership::isLeader);
        return leadership;
    }
}
