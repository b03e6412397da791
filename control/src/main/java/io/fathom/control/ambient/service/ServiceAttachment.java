// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.service;

import io.fathom.control.ambient.waypoint.Attachment;
import io.fathom.model.mesh.Service.IngressWaypoint;
import io.fathom.model.mesh.Service.WeightedWaypoint;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.List;
import java.util.Optional;

/// How traffic to a service goes through waypoints.
///
/// @param primary what most clients use
/// @param weighted primary and canary with their shares; empty without a canary
/// @param canary the second Gateway of those
/// @param canaryProblem why a canary that was asked for gets nothing
public record ServiceAttachment(
        Attachment primary,
        List<WeightedWaypoint> weighted,
        Optional<ObjectKey> canary,
        Optional<String> canaryProblem,
        IngressWaypoint ingress) {

    public static ServiceAttachment without(Attachment primary) {
        return new ServiceAttachment(primary, List.of(), Optional.empty(), Optional.empty(), IngressWaypoint.SKIPPED);
    }
}
