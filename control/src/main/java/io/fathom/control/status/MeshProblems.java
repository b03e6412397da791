// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.base.lang.Problem;
import io.fathom.control.ambient.MeshFlow;
import io.fathom.control.ambient.status.FullStatus;
import io.fathom.control.ambient.status.ObjectStatus;
import io.fathom.control.gateway.ParentVerdict;
import io.fathom.control.gateway.RouteVerdict;
import io.fathom.control.problem.ObjectProblem;
import io.fathom.control.problem.ProblemKey;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.gateway.BackendPolicyManifest;
import io.fathom.wire.kube.gateway.BackendTlsPolicyManifest;
import io.fathom.wire.kube.gateway.BackendTrafficPolicyManifest;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.networking.ServiceEntryManifest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// One table of all that is not as the authors of objects meant: what the mesh finds, what Envoys cannot make of an
/// object or refuse, and every condition that is not good. What cannot be read at all is with the source of manifests.
///
/// Whatever says conditions is one entry of the join below.
public final class MeshProblems {
    private static final Set<String> JUDGED = Set.of(ParentConditions.ACCEPTED, ParentConditions.RESOLVED_REFS);

    private final MeshFlow mesh;
    private final Table<ProblemKey, ObjectProblem> table;

    /// Adds its tables to a flow.
    ///
    /// @param envoys what is wrong with objects that configure Envoys
    /// @param gateways what Gateways and ListenerSets say
    public MeshProblems(
            MeshFlow mesh, Table<ProblemKey, ObjectProblem> envoys, Table<ManifestId, FullStatus> gateways) {
        this.mesh = mesh;
        var flow = mesh.flow();
        table = flow.join(
                "mesh-problems",
                List.of(
                        mesh.problems(),
                        envoys,
                        flow.deriveMany(
                                "mesh-problems/statuses",
                                mesh.statuses(),
                                (fetch, status) -> ofStatus(fetch.key(), status, isDamaged(fetch))),
                        flow.deriveMany(
                                "mesh-problems/gateways",
                                gateways,
                                (fetch, status) -> GatewayProblems.of(fetch.key(), status)),
                        flow.deriveMany(
                                "mesh-problems/gateway-classes",
                                mesh.listeners().problems(),
                                (fetch, problem) -> ObjectProblem.rows(List.of(ObjectProblem.error(
                                        new ManifestId(GatewayManifest.class, fetch.key()),
                                        "spec.gatewayClassName",
                                        problem)))),
                        flow.deriveMany(
                                "mesh-problems/routes",
                                mesh.verdicts().verdicts(),
                                (fetch, verdict) -> ofRoute(fetch.key(), verdict)),
                        ofPolicies(flow, BackendTlsPolicyManifest.class, mesh.backendTlsVerdicts()),
                        ofPolicies(flow, BackendTrafficPolicyManifest.class, mesh.backendTrafficVerdicts())));
    }

    public Table<ProblemKey, ObjectProblem> table() {
        return table;
    }

    private boolean isDamaged(Fetch<ManifestId> fetch) {
        return fetch.one(mesh.manifests(fetch.key().kind()), fetch.key().key())
                .flatMap(Manifest::damage)
                .isPresent();
    }

    /// @param damaged whether its reader has said what holds of it, which its conditions repeat
    private static Map<ProblemKey, ObjectProblem> ofStatus(ManifestId object, ObjectStatus status, boolean damaged) {
        return ObjectProblem.rows(status.conditions().stream()
                .filter(condition -> !damaged || !condition.reason().equals("Invalid"))
                .flatMap(condition -> ConditionProblems.of(object, "", condition).stream())
                .toList());
    }

    private static Map<ProblemKey, ObjectProblem> ofRoute(ManifestId object, RouteVerdict verdict) {
        var route = verdict.route();
        var problems = new ArrayList<ObjectProblem>();
        for (var i = 0; i < route.parents().size(); i++) {
            var parent = route.parents().get(i);
            var field = "spec.parentRefs[" + i + "]";
            var unsaid = Optional.ofNullable(verdict.unsaid().get(parent));
            unsaid.ifPresent(problem -> problems.add(ObjectProblem.error(object, field, problem)));
            verdict.parents().stream()
                    .filter(judged -> judged.parent().equals(parent))
                    .findFirst()
                    .ifPresent(judged -> {
                        problems.addAll(ofParent(object, field, "spec.rules", judged));
                        if (unsaid.isEmpty() && judged.isAcceptedInVain()) {
                            problems.add(ObjectProblem.error(object, field, inVain(judged)));
                        }
                    });
        }
        return rows(problems);
    }

    /// It is in effect as soon as there is a waypoint, or the listener is served.
    private static Problem inVain(ParentVerdict verdict) {
        return new Problem(
                RouteVerdict.NOT_IN_EFFECT,
                verdict.accepted().message(),
                verdict.waypoints().isPresent()
                        ? "label the parent istio.io/use-waypoint, and see the conditions of that Gateway"
                        : "see the conditions of the Gateway",
                Problem.Origin.CLIENT,
                Problem.Retry.SENSIBLE);
    }

    private static List<ObjectProblem> ofParent(ManifestId object, String field, String refs, ParentVerdict verdict) {
        return ParentConditions.of(verdict, Optional.empty()).stream()
                .filter(condition -> JUDGED.contains(condition.type())) // the rest is said by the verdict's own problem
                .flatMap(condition ->
                        ConditionProblems.of(
                                object,
                                condition.type().equals(ParentConditions.RESOLVED_REFS) ? refs : field,
                                condition)
                                .stream())
                .toList();
    }

    private <M extends BackendPolicyManifest> Table<ProblemKey, ObjectProblem> ofPolicies(
            Flow flow, Class<M> kind, Table<ManifestId, List<ParentVerdict>> verdicts) {
        return flow.deriveMany("mesh-problems/" + kind.getSimpleName(), mesh.manifests(kind), (fetch, policy) -> {
            var object = ManifestId.of(policy);
            var problems = new ArrayList<ObjectProblem>();
            for (var i = 0; i < policy.targets().size(); i++) {
                var field = "spec.targetRefs[" + i + "]";
                target(fetch, policy, policy.targets().get(i))
                        .ifPresent(problem -> problems.add(ObjectProblem.error(object, field, problem)));
            }
            fetch.one(verdicts, object).orElse(List.of()).stream()
                    .flatMap(verdict -> ofParent(object, "", "spec.validation", verdict).stream())
                    .forEach(problems::add);
            return rows(problems);
        });
    }

    private Optional<Problem> target(
            Fetch<?> fetch, BackendPolicyManifest policy, BackendPolicyManifest.Target target) {
        var key = policy.key().sibling(target.name());
        var isThere = switch (target.kind()) {
            case "Service" ->
                fetch.one(mesh.manifests(ServiceManifest.class), key).isPresent();
            case "ServiceEntry" ->
                fetch.one(mesh.manifests(ServiceEntryManifest.class), key).isPresent();
            default -> false;
        };
        return isThere
                ? Optional.empty()
                : Optional.of(Problem.ofInput(
                        "policy-target-missing",
                        "there is no " + target.kind() + " " + key.path() + " to be a target",
                        "create it, or correct name and kind in targetRefs"));
    }

    /// The same at several parents is said once.
    private static Map<ProblemKey, ObjectProblem> rows(List<ObjectProblem> problems) {
        return ObjectProblem.rows(problems.stream().distinct().toList());
    }
}
