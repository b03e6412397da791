package io.fathom.app.fathomd;

import io.fathom.app.fathomd.http.ControlMetrics;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.revision.RevisionTags;
import io.fathom.control.status.Candidate;
import io.fathom.wire.kube.api.KubeClient;
import java.time.InstantSource;

/// What a part of the control plane that works on a cluster may use. There is one only where objects come from an API
/// server.
///
/// @param client for any thread; ends with the control plane, after all parts
/// @param identity who signs, and the roots
/// @param tags which names our revision has besides its own
record ClusterLink(
        KubeClient client,
        FathomdConfig config,
        AmbientMesh mesh,
        MeshIdentity identity,
        ControlMetrics metrics,
        RevisionTags tags,
        InstantSource clock) {

    /// How we compete with other replicas and revisions.
    Candidate candidate() {
        return config.candidate().withDefaultRevision(tags::defaultRevision);
    }
}
