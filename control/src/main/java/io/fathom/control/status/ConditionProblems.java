// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Problem.Origin;
import io.fathom.base.lang.Problem.Retry;
import io.fathom.control.ambient.status.StatusCondition;
import io.fathom.control.problem.ObjectProblem;
import io.fathom.wire.kube.ConditionTypes;
import io.fathom.wire.kube.ManifestId;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// What a condition says that is not good, as a problem of its object. Pure.
final class ConditionProblems {
    /// True is bad news.
    private static final Set<String> NEGATIVE =
            Set.of(ConditionTypes.WAYPOINT_MISSING, ParentConditions.PARTIALLY_INVALID, ConditionTypes.EXPORT_CONFLICT);
    /// Not good, but everything is in force.
    private static final Set<String> MILD = Set.of(ConditionTypes.EXPORT_CONFLICT);
    /// Says what another one says already.
    private static final Set<String> REPEATING = Set.of(ConditionTypes.EXPORT_READY);
    /// True, but not for all of the object.
    private static final Set<String> HALF = Set.of("PartiallyInvalid", "UnsupportedValue");
    /// What may become true when something else is ready.
    private static final Set<String> PASSING =
            Set.of("WaypointIsNotReady", "TargetNotFound", "AncestorNotBound", "AddressNotAssigned", "Pending");

    private ConditionProblems() {}

    /// @param field of the object that the condition is about
    static Optional<ObjectProblem> of(ManifestId object, String field, StatusCondition condition) {
        var isTrue = condition.status() == StatusCondition.Status.TRUE;
        if (REPEATING.contains(condition.type())) {
            return Optional.empty();
        }
        if (isTrue && MILD.contains(condition.type())) {
            return Optional.of(ObjectProblem.warning(object, field, problem(condition)));
        }
        if (isTrue == NEGATIVE.contains(condition.type())) {
            return Optional.of(ObjectProblem.error(object, field, problem(condition)));
        }
        return isTrue && HALF.contains(condition.reason())
                ? Optional.of(ObjectProblem.warning(object, field, problem(condition)))
                : Optional.empty();
    }

    private static Problem problem(StatusCondition condition) {
        return new Problem(
                code(condition.reason().split(",", 2)[0]), // conflicts may have several
                condition.message(),
                condition.type().equals(ConditionTypes.EXPORT_CONFLICT)
                        ? "make the Services alike in all clusters that export them, or delete a ServiceExport"
                        : fix(condition.reason()),
                Origin.CLIENT,
                PASSING.contains(condition.reason()) ? Retry.SENSIBLE : Retry.POINTLESS);
    }

    /// A reason as problems spell it: `BackendNotFound` becomes `backend-not-found`.
    private static String code(String reason) {
        return reason.replaceAll("(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-")
                .toLowerCase(Locale.ROOT);
    }

    private static String fix(String reason) {
        return switch (reason) {
            case "WaypointIsNotReady" ->
                "create the Gateway of class istio-waypoint that the label istio.io/use-waypoint names, or correct the label;"
                        + " it is ready when its status has an address";
            case "AttachmentDenied" -> "let allowedRoutes of the waypoint's listener admit the namespace";
            case "UnsupportedTrafficType" ->
                "set the label istio.io/waypoint-for of the Gateway to service, workload or all";
            case "CrossNamespaceWaypointForbidden" -> "use a waypoint of the same namespace";
            case "WaypointLoop" -> "take the label istio.io/use-waypoint off one of them";
            case "NoWaypointForWildcardService", "NoWaypointForRacingConnectStrategy" ->
                "label the object istio.io/use-waypoint with the name of a waypoint";
            case "AddressNotAssigned", "Pending" -> "wait for its pods, or see why they do not become ready";
            case "TargetNotFound" -> "create what targetRefs name, or correct the name";
            case "AncestorNotBound" -> "label the target istio.io/use-waypoint, or use a selector";
            case "NoMatchingParent" ->
                "correct parentRefs: name, namespace, sectionName and port of something that is there";
            case "NoMatchingListenerHostname" -> "give the route a hostname that a listener of its parent has";
            case "NotAllowedByListeners" ->
                "let allowedRoutes of the listener admit the namespace and kind of the route";
            case "NoNamespace" -> "write down the Namespace, too";
            case "NoService" -> "create the Service, or delete the ServiceExport";
            case "InvalidServiceType" -> "export a Service of another type, or delete the ServiceExport";
            case "BackendNotFound" -> "create the Service, or correct the name in backendRefs";
            case "RefNotPermitted" -> "add a ReferenceGrant to the namespace that is referred to";
            case "InvalidKind" -> "refer to a kind that is supported there";
            case "Conflicted" -> "delete one of the two, or give it other targets";
            case "UnsupportedValue" -> "use targetRefs for what a waypoint has to enforce";
            default -> "correct the object as the message says";
        };
    }
}
