// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.waypoint;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Truth;
import io.fathom.control.ambient.input.Markers;
import io.fathom.model.mesh.Workload.Hairpin;
import java.util.Map;
import java.util.Optional;

/// Whether a pod wants plain connections to it to go through its waypoint, and what stands in the way. Pure.
public enum HairpinWish {
    NONE,
    ASKED,
    UNREADABLE;

    public static HairpinWish of(Map<String, String> annotations) {
        var text = annotations.get(Markers.HAIRPIN);
        return text == null
                ? NONE
                : Truth.parse(text).map(asked -> asked ? ASKED : NONE).orElse(UNREADABLE);
    }

    /// What node proxies are told.
    ///
    /// @param waypoint of the pod, if it has one
    public static Hairpin granted(Optional<Waypoint> waypoint) {
        return waypoint.isPresent() && obstacle(waypoint.get()).isEmpty() ? Hairpin.YES : Hairpin.NO;
    }

    /// Only a waypoint that Fathom configures can be told that a client has no identity.
    public static Optional<Obstacle> obstacle(Waypoint waypoint) {
        var gateway = "Gateway " + waypoint.key().path();
        if (waypoint.controller() == Waypoint.Controller.FOREIGN) {
            return Optional.of(new Obstacle(
                    "Fathom does not configure the pods of " + gateway
                            + " as a waypoint, and they would take a client without an identity for the pod",
                    "use a Gateway of class istio-waypoint"));
        }
        return waypoint.binding()
                .map(_ -> new Obstacle(
                        "the pods of " + gateway + " take tunnels from their node proxy, which cannot tell them that a "
                                + "client has no identity",
                        "use a Gateway without " + Markers.INBOUND_BINDING));
    }

    /// Why a waypoint cannot be used for that.
    public record Obstacle(String what, String fix) {}

    /// Why the pod does not get what its annotation says.
    public Optional<Problem> problem(String pod, String value, Optional<Waypoint> waypoint) {
        return switch (this) {
            case NONE -> Optional.empty();
            case UNREADABLE ->
                Optional.of(problem(
                        pod,
                        "\"" + value + "\" is neither true nor false, so plain connections go to the pod directly",
                        "write " + Markers.HAIRPIN + ": \"true\" or \"false\""));
            case ASKED ->
                granted(waypoint) == Hairpin.YES
                        ? Optional.empty()
                        : Optional.of(
                                waypoint.isEmpty()
                                        ? problem(
                                                pod,
                                                "the pod has no waypoint for workloads, so plain connections go to it "
                                                        + "directly",
                                                "label the pod or its namespace " + Markers.USE_WAYPOINT
                                                        + " with a Gateway that has the label "
                                                        + Markers.WAYPOINT_FOR + ": workload or all")
                                        : obstacle(waypoint.get())
                                                .map(obstacle -> problem(pod, obstacle.what, obstacle.fix))
                                                .orElseThrow());
        };
    }

    private static Problem problem(String pod, String what, String fix) {
        return Problem.ofInput(
                "hairpin-ignored", "Pod " + pod + ": annotation " + Markers.HAIRPIN + " is ignored: " + what, fix);
    }
}
