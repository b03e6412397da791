package io.fathom.control.ambient;

import io.fathom.base.lang.Problem;
import io.fathom.model.mesh.Workload.Hairpin;
import java.util.Map;
import java.util.Optional;

/// Whether a pod wants plain connections to it to go through its waypoint, and what stands in the way. Pure.
enum HairpinWish {
    NONE,
    ASKED,
    UNREADABLE;

    static HairpinWish of(Map<String, String> annotations) {
        var text = annotations.get(Markers.HAIRPIN);
        return text == null
                ? NONE
                : Truth.parse(text).map(asked -> asked ? ASKED : NONE).orElse(UNREADABLE);
    }

    /// What node proxies are told. Only a waypoint that Fathom configures can be told that a client has no identity.
    ///
    /// @param waypoint of the pod, if it has one
    Hairpin granted(Optional<Waypoint> waypoint) {
        return this == ASKED && waypoint.filter(HairpinWish::takesTunnelsItself).isPresent() ? Hairpin.YES : Hairpin.NO;
    }

    private static boolean takesTunnelsItself(Waypoint waypoint) {
        return waypoint.binding().isEmpty();
    }

    /// Why the pod does not get what its annotation says.
    Optional<Problem> problem(String pod, String value, Optional<Waypoint> waypoint) {
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
                                        : problem(
                                                pod,
                                                "the pods of Gateway "
                                                        + waypoint.get().key().path()
                                                        + " take tunnels from their node proxy, which cannot tell "
                                                        + "them that a client has no identity",
                                                "use a Gateway without " + Markers.INBOUND_BINDING));
        };
    }

    private static Problem problem(String pod, String what, String fix) {
        return Problem.ofInput(
                "hairpin-ignored", "Pod " + pod + ": annotation " + Markers.HAIRPIN + " is ignored: " + what, fix);
    }
}
