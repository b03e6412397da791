// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.policy;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Truth;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.input.Markers;
import io.fathom.control.ambient.waypoint.Bypass;
import io.fathom.control.ambient.waypoint.HairpinWish;
import io.fathom.control.ambient.waypoint.Waypoint;
import io.fathom.control.ambient.waypoint.Waypoint.Traffic;
import io.fathom.control.ambient.waypoint.Waypoints;
import io.fathom.control.problem.ObjectProblem;
import io.fathom.control.problem.ProblemKey;
import io.fathom.model.mesh.Address;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What stands in the way where calls must come through a waypoint: Gateways that calls cannot go through, pods that
/// can be called all the same, and services that lead around the waypoint of their pods.
public final class RequiredWaypointProblems {
    private static final String FIELD = "metadata.annotations";

    private final Waypoints waypoints;
    private final Table<String, Address> addresses;
    private final List<Table<ProblemKey, ObjectProblem>> tables;

    public RequiredWaypointProblems(
            Flow flow,
            Inputs inputs,
            Waypoints waypoints,
            Table<String, Workload> pods,
            Table<String, Address> addresses) {
        this.waypoints = waypoints;
        this.addresses = addresses;
        tables = List.of(
                flow.deriveMany("problems/required-waypoints", inputs.gateways(), this::ofGateway),
                flow.deriveMany("problems/pods-behind-required-waypoints", pods, this::ofPod));
    }

    public List<Table<ProblemKey, ObjectProblem>> tables() {
        return tables;
    }

    private Map<ProblemKey, ObjectProblem> ofGateway(Fetch<ObjectKey> fetch, GatewayManifest gateway) {
        var id = ManifestId.of(gateway);
        var path = "Gateway " + gateway.key().path();
        var waypoint = fetch.own(waypoints.table()).orElseThrow();
        var written = Optional.ofNullable(gateway.annotations().get(Markers.REQUIRE_WAYPOINT));
        var problems = new ArrayList<ObjectProblem>();
        written.filter(value -> Truth.parse(value).isEmpty())
                .ifPresent(value -> problems.add(ObjectProblem.error(
                        id,
                        FIELD,
                        Problem.ofInput(
                                "require-waypoint-unreadable",
                                path + ": annotation " + Markers.REQUIRE_WAYPOINT + " is \"" + value
                                        + "\", which is neither true nor false, and counts as true",
                                "write " + Markers.REQUIRE_WAYPOINT + ": \"true\" or \"false\""))));
        if (waypoint.objection().isPresent()) {
            written.ifPresent(_ -> problems.add(ObjectProblem.error(
                    id,
                    FIELD,
                    Problem.ofInput(
                            "require-waypoint-ignored",
                            path + ": annotation " + Markers.REQUIRE_WAYPOINT + " has no effect, because the Gateway "
                                    + waypoint.objection().get(),
                            "write it on a Gateway of class istio-waypoint"))));
        } else if (waypoint.bypass() == Bypass.FORBIDDEN) {
            unready(id, waypoint).or(() -> withoutPlainText(id, waypoint)).ifPresent(problems::add);
        }
        return ObjectProblem.rows(problems);
    }

    private static Optional<ObjectProblem> unready(ManifestId id, Waypoint waypoint) {
        return waypoint.address().isPresent()
                ? Optional.empty()
                : Optional.of(ObjectProblem.error(
                        id,
                        "",
                        Problem.ofInput(
                                "required-waypoint-not-ready",
                                "pods behind Gateway " + waypoint.key().path()
                                        + " take calls through it only, and it has no address yet: they refuse all",
                                "see why the Gateway is not programmed, or write " + Markers.REQUIRE_WAYPOINT
                                        + ": \"false\" on it")));
    }

    /// In force all the same: what cannot be sent through is refused.
    private static Optional<ObjectProblem> withoutPlainText(ManifestId id, Waypoint waypoint) {
        var obstacle = waypoint.serves(Traffic.WORKLOAD)
                ? HairpinWish.obstacle(waypoint)
                : Optional.of(new HairpinWish.Obstacle(
                        "the Gateway serves \"" + waypoint.serves() + "\"",
                        "label it " + Markers.WAYPOINT_FOR + ": all to have plain text sent through it"));
        return obstacle.map(found -> ObjectProblem.warning(
                id,
                "",
                Problem.ofInput(
                        "required-waypoint-without-plain-text",
                        "pods behind Gateway " + waypoint.key().path()
                                + " take calls through it only; plain text to them is refused, not sent through it: "
                                + found.what(),
                        found.fix())));
    }

    private Map<ProblemKey, ObjectProblem> ofPod(Fetch<String> fetch, Workload pod) {
        var required = RequiredWaypointPolicies.listedBy(pod);
        if (required.isEmpty()) {
            return Map.of();
        }
        var id = new ManifestId(PodManifest.class, new ObjectKey(pod.clusterId(), pod.namespace(), pod.name()));
        var path = "Pod " + pod.namespace() + "/" + pod.name();
        var problems = new ArrayList<ObjectProblem>();
        if (!pod.isCaptured()) {
            problems.add(ObjectProblem.error(
                    id,
                    "",
                    Problem.ofInput(
                            "required-waypoint-not-enforced",
                            path + " is to be called through its waypoint only, but no node proxy stands in front of "
                                    + "it: whoever reaches its address can call it",
                            "capture it: label its namespace istio.io/dataplane-mode: ambient, and do not give it the "
                                    + "host's network")));
        }
        var around = pod.services().keySet().stream()
                .sorted()
                .filter(key -> leadsAround(fetch, key))
                .toList();
        if (!around.isEmpty()) {
            problems.add(ObjectProblem.error(
                    id,
                    "",
                    Problem.ofInput(
                            "required-waypoint-missed",
                            path + " takes calls through a waypoint only, and refuses those to "
                                    + String.join(", ", around) + ", which go through none",
                            "label these services " + Markers.USE_WAYPOINT
                                    + ", or their namespace; see their condition WaypointBound")));
        }
        return ObjectProblem.rows(problems);
    }

    private boolean leadsAround(Fetch<String> fetch, String service) {
        return fetch.one(addresses, service)
                .filter(address -> address instanceof Service found
                        && found.waypoint().isEmpty()
                        && found.weightedWaypoints().isEmpty())
                .isPresent();
    }
}
