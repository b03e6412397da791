// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import io.fathom.base.flow.Commit;
import io.fathom.base.flow.Cut;
import io.fathom.base.flow.Table;
import io.fathom.base.lang.Problem;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.ambient.status.FullStatus;
import io.fathom.control.ambient.status.ObjectStatus;
import io.fathom.control.ambient.status.StatusCondition;
import io.fathom.control.gateway.ParentVerdict;
import io.fathom.control.problem.ObjectProblem;
import io.fathom.wire.kube.ConditionTypes;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.ManifestKinds;
import io.fathom.wire.kube.StatusForm;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What is said about objects: what the mesh says in any case, and what is wrong with those that configure Envoys.
///
/// A policy that is attached to a waypoint has a condition about that already, which then names what is wrong. On other
/// objects a condition of its own does, and only while something is. Any thread.
public final class Statements {
    private static final String REFUSED = "envoy-refused";

    private final AmbientMesh mesh;
    private final Table<ManifestId, List<ObjectProblem>> problems;
    private final Table<ManifestId, FullStatus> gateways;

    /// @param problems with objects that configure Envoys, on the flow of the mesh
    /// @param gateways what Gateways and ListenerSets say; somebody else writes that
    public Statements(
            AmbientMesh mesh, Table<ManifestId, List<ObjectProblem>> problems, Table<ManifestId, FullStatus> gateways) {
        this.mesh = mesh;
        this.problems = problems;
        this.gateways = gateways;
    }

    /// About one object.
    public ObjectStatus of(Cut cut, ManifestId object) {
        var status = cut.of(mesh.statuses()).find(object).orElse(ObjectStatus.NOTHING);
        var found = problems(cut, object);
        return found.isEmpty() ? status : with(status, found);
    }

    /// About all objects with a status of ours, and about each thing that a status has a part for. For debug pages.
    public SortedMap<ManifestId, FullStatus> all(Cut cut) {
        var result = new TreeMap<ManifestId, FullStatus>();
        cut.of(mesh.statuses()).forEach((object, _) -> result.put(object, FullStatus.of(of(cut, object))));
        cut.of(problems).forEach((object, _) -> {
            if (ManifestKinds.of(object.kind()).status() instanceof StatusForm.Conditions) {
                result.put(object, FullStatus.of(of(cut, object)));
            }
        });
        cut.of(gateways).forEach(result::put);
        cut.of(mesh.routes()).forEach((object, verdict) -> parts(cut, object, verdict.parents(), result));
        cut.of(mesh.backendTlsPolicies()).forEach((object, verdicts) -> parts(cut, object, verdicts, result));
        cut.of(mesh.backendTrafficPolicies()).forEach((object, verdicts) -> parts(cut, object, verdicts, result));
        return result;
    }

    private void parts(
            Cut cut, ManifestId object, List<ParentVerdict> verdicts, SortedMap<ManifestId, FullStatus> result) {
        if (!verdicts.isEmpty() && ManifestKinds.of(object.kind()).status() instanceof StatusForm.Entries form) {
            var refusal = refusal(cut, object);
            var parts = verdicts.stream()
                    .map(verdict -> new FullStatus.StatusSection(
                            form.list(),
                            ParentConditions.name(verdict.parent(), object),
                            ParentConditions.of(verdict, refusal)))
                    .toList();
            result.put(object, new FullStatus(ObjectStatus.NOTHING, parts));
        }
    }

    /// What is wrong with an object.
    List<ObjectProblem> problems(Cut cut, ManifestId object) {
        return cut.of(problems).find(object).orElse(List.of());
    }

    /// What Envoys refused of an object.
    Optional<Problem> refusal(Cut cut, ManifestId object) {
        return problems(cut, object).stream()
                .map(ObjectProblem::problem)
                .filter(Statements::isRefusal)
                .findFirst();
    }

    private static boolean isRefusal(Problem problem) {
        return problem.code().equals(REFUSED);
    }

    /// The objects that a step has changed something for.
    Stream<ManifestId> changed(Commit commit) {
        return Stream.concat(
                commit.changes(mesh.statuses()).stream().map(change -> change.key()),
                commit.changes(problems).stream().map(change -> change.key()));
    }

    static ObjectStatus with(ObjectStatus status, List<ObjectProblem> problems) {
        var conditions = status.conditions().stream()
                .collect(Collectors.toMap(StatusCondition::type, each -> each, (one, _) -> one, TreeMap::new));
        var refused = problems.stream().map(ObjectProblem::problem).anyMatch(Statements::isRefusal);
        var message = problems.stream()
                .map(ObjectProblem::problem)
                .map(Problem::toString)
                .distinct()
                .collect(Collectors.joining("; "));
        var bound = conditions.get(ConditionTypes.WAYPOINT_ACCEPTED);
        if (bound == null) {
            var code = refused ? REFUSED : problems.getFirst().problem().code();
            conditions.put(
                    ConditionTypes.ENVOY_ACCEPTED,
                    new StatusCondition(
                            ConditionTypes.ENVOY_ACCEPTED, StatusCondition.Status.FALSE, reason(code), message));
        } else if (bound.status() == StatusCondition.Status.TRUE) { // else it is in effect nowhere, whatever it says
            conditions.put(
                    ConditionTypes.WAYPOINT_ACCEPTED,
                    new StatusCondition(
                            ConditionTypes.WAYPOINT_ACCEPTED,
                            refused ? StatusCondition.Status.FALSE : StatusCondition.Status.TRUE,
                            refused ? "Invalid" : "PartiallyInvalid",
                            bound.message() + "; " + message));
        }
        return new ObjectStatus(new ArrayList<>(conditions.values()), status.addresses());
    }

    /// A code as Kubernetes spells reasons: `jwks-unreachable` becomes `JwksUnreachable`.
    private static String reason(String code) {
        return Stream.of(code.split("-"))
                .filter(word -> !word.isEmpty())
                .map(word -> Character.toUpperCase(word.charAt(0)) + word.substring(1))
                .collect(Collectors.joining());
    }
}
