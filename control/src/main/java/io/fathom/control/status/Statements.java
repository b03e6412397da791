package io.fathom.control.status;

import io.fathom.base.flow.Commit;
import io.fathom.base.flow.Cut;
import io.fathom.base.flow.Table;
import io.fathom.base.lang.Problem;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.ambient.Condition;
import io.fathom.control.ambient.ObjectStatus;
import io.fathom.wire.kube.ConditionTypes;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.ManifestKinds;
import io.fathom.wire.kube.StatusForm;
import java.util.ArrayList;
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
    private final Table<ManifestId, Problem> problems;
    private final Optional<Table<ManifestId, ObjectStatus>> gateways;

    /// @param problems with objects that configure Envoys, on the flow of the mesh
    public Statements(AmbientMesh mesh, Table<ManifestId, Problem> problems) {
        this(mesh, problems, Optional.empty());
    }

    /// @param gateways what Gateways and ListenerSets say; somebody else writes that
    public Statements(
            AmbientMesh mesh, Table<ManifestId, Problem> problems, Table<ManifestId, ObjectStatus> gateways) {
        this(mesh, problems, Optional.of(gateways));
    }

    private Statements(
            AmbientMesh mesh, Table<ManifestId, Problem> problems, Optional<Table<ManifestId, ObjectStatus>> gateways) {
        this.mesh = mesh;
        this.problems = problems;
        this.gateways = gateways;
    }

    /// About one object.
    public ObjectStatus of(Cut cut, ManifestId object) {
        var status = cut.of(mesh.statuses()).find(object).orElse(ObjectStatus.NOTHING);
        return problem(cut, object).map(problem -> with(status, problem)).orElse(status);
    }

    /// About all objects with a status of ours. For debug pages.
    public SortedMap<ManifestId, ObjectStatus> all(Cut cut) {
        var result = new TreeMap<ManifestId, ObjectStatus>();
        cut.of(mesh.statuses()).forEach(result::put);
        cut.of(problems).forEach((object, _) -> {
            if (ManifestKinds.of(object.kind()).status() instanceof StatusForm.Conditions) {
                result.put(object, of(cut, object));
            }
        });
        gateways.ifPresent(
                table -> cut.of(table).forEach((object, status) -> result.merge(object, status, ObjectStatus::and)));
        return result;
    }

    /// What is wrong with an object.
    Optional<Problem> problem(Cut cut, ManifestId object) {
        return cut.of(problems).find(object);
    }

    /// What Envoys refused of an object.
    Optional<Problem> refusal(Cut cut, ManifestId object) {
        return problem(cut, object).filter(problem -> problem.code().equals(REFUSED));
    }

    /// The objects that a step has changed something for.
    Stream<ManifestId> changed(Commit commit) {
        return Stream.concat(
                commit.changes(mesh.statuses()).stream().map(change -> change.key()),
                commit.changes(problems).stream().map(change -> change.key()));
    }

    static ObjectStatus with(ObjectStatus status, Problem problem) {
        var conditions = status.conditions().stream()
                .collect(Collectors.toMap(Condition::type, each -> each, (one, _) -> one, TreeMap::new));
        var bound = conditions.get(ConditionTypes.WAYPOINT_ACCEPTED);
        if (bound == null) {
            conditions.put(
                    ConditionTypes.ENVOY_ACCEPTED,
                    new Condition(
                            ConditionTypes.ENVOY_ACCEPTED,
                            Condition.Status.FALSE,
                            reason(problem.code()),
                            problem.toString()));
        } else if (bound.status() == Condition.Status.TRUE) { // else it is in effect nowhere, whatever it says
            var refused = problem.code().equals(REFUSED);
            conditions.put(
                    ConditionTypes.WAYPOINT_ACCEPTED,
                    new Condition(
                            ConditionTypes.WAYPOINT_ACCEPTED,
                            refused ? Condition.Status.FALSE : Condition.Status.TRUE,
                            refused ? "Invalid" : "PartiallyInvalid",
                            bound.message() + "; " + problem));
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
