// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import io.fathom.base.lang.Timeline;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.wire.kube.api.KubeClient;

/// What writers of statuses work with.
///
/// @param cluster the id of the cluster that is written to
/// @param statements what is said about objects
/// @param settings how gently the cluster is written to
public record StatusDesk(
        KubeClient client,
        String cluster,
        AmbientMesh mesh,
        Statements statements,
        Timeline timeline,
        WriteSettings settings,
        WriteObserver observer) {}
