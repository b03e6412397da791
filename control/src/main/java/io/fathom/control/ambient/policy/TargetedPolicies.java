// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.policy;

import io.fathom.control.ambient.status.StatusCondition;
import io.fathom.wire.kube.ConditionTypes;
import io.fathom.wire.kube.manifest.Damage;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.PolicyTarget;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Tells whether the targets of a policy lead to a waypoint. Pure; the caller knows the objects.
final class TargetedPolicies {
    static final String CONDITION = ConditionTypes.WAYPOINT_ACCEPTED;
    private static final String GATEWAY_API = "gateway.networking.k8s.io";
    private static final String ISTIO = "networking.istio.io";

    /// The kinds a policy can be attached to.
    enum TargetKind {
        SERVICE,
        SERVICE_ENTRY,
        GATEWAY,
        GATEWAY_CLASS
    }

    /// What the mesh knows about a target in the namespace of its policy (for a class: in the cluster).
    sealed interface Target {
        /// It is, or is served by, a waypoint.
        record Bound(String waypoint) implements Target {}

        /// It is there, but no waypoint serves it.
        record NotBound() implements Target {}

        /// There is no such object; a Gateway without an address counts as missing.
        record Missing() implements Target {}

        /// A class that another controller owns.
        record Foreign(String controller) implements Target {}
    }

    private record Verdict(PolicyTarget target, StatusCondition.Status status, String reason, String message) {
        String name() {
            return target.kind() + " " + target.name();
        }
    }

    /// Looks up one target.
    interface Lookup {
        Target find(TargetKind kind, String name);
    }

    private TargetedPolicies() {}

    /// Empty for a policy without targets.
    static Optional<StatusCondition> judge(
            List<PolicyTarget> targets, String namespace, String rootNamespace, Lookup lookup) {
        var verdicts = targets.stream()
                .map(target -> verdict(target, namespace, rootNamespace, lookup))
                .toList();
        if (verdicts.isEmpty()) {
            return Optional.empty();
        }
        if (verdicts.size() == 1) {
            var only = verdicts.getFirst();
            return Optional.of(new StatusCondition(CONDITION, only.status(), only.reason(), only.message()));
        }
        return Optional.of(flatten(verdicts));
    }

    /// What is said about a policy that may be damaged: never that all of it is accepted.
    ///
    /// @param targets what is said about its targets, if it has any
    static Optional<StatusCondition> judge(Optional<StatusCondition> targets, Optional<Damage> damage) {
        return damage.map(some -> new StatusCondition(
                        CONDITION,
                        StatusCondition.Status.FALSE,
                        "Invalid",
                        "it cannot be read as a whole: until it is mended it " + some.inForce()
                                + targets.map(condition -> " (" + condition.message() + ")")
                                        .orElse("")))
                .or(() -> targets);
    }

    /// One condition has to speak for all targets: true as soon as one of them is bound.
    private static StatusCondition flatten(List<Verdict> verdicts) {
        var byStatus =
                verdicts.stream().collect(Collectors.partitioningBy(v -> v.status() == StatusCondition.Status.TRUE));
        var bound = byStatus.getOrDefault(true, List.of());
        var failed = byStatus.getOrDefault(false, List.of());
        if (failed.isEmpty()) {
            return new StatusCondition(
                    CONDITION, StatusCondition.Status.TRUE, "Accepted", "bound: " + list(bound, Verdict::name));
        }
        return new StatusCondition(
                CONDITION,
                bound.isEmpty() ? StatusCondition.Status.FALSE : StatusCondition.Status.TRUE,
                bound.isEmpty() ? "Invalid" : "PartiallyInvalid",
                "without effect on: " + list(failed, v -> v.name() + " (" + v.message() + ")"));
    }

    private static String list(List<Verdict> verdicts, Function<Verdict, String> words) {
        return verdicts.stream().map(words).collect(Collectors.joining(", "));
    }

    private static Verdict verdict(PolicyTarget target, String namespace, String rootNamespace, Lookup lookup) {
        var kind = kind(target);
        if (kind.isEmpty()) {
            return failed(target, "Invalid", "policies cannot be attached to " + target.kind() + "." + target.group());
        }
        if (kind.get() == TargetKind.GATEWAY_CLASS && !namespace.equals(rootNamespace)) {
            return failed(target, "Invalid", "only policies of namespace " + rootNamespace + " may target a class");
        }
        return switch (lookup.find(kind.get(), target.name())) {
            case Target.Bound(var waypoint) ->
                new Verdict(target, StatusCondition.Status.TRUE, "Accepted", "bound to " + waypoint);
            case Target.NotBound() ->
                failed(target, "AncestorNotBound", target.kind() + " " + target.name() + " uses no waypoint");
            case Target.Missing() ->
                failed(
                        target,
                        "TargetNotFound",
                        target.kind() + " " + target.name() + " does not exist or is not ready");
            case Target.Foreign(var controller) ->
                failed(
                        target,
                        "Invalid",
                        "class " + target.name() + " belongs to " + controller + ", not to waypoints");
        };
    }

    private static Verdict failed(PolicyTarget target, String reason, String message) {
        return new Verdict(target, StatusCondition.Status.FALSE, reason, message);
    }

    private static Optional<TargetKind> kind(PolicyTarget target) {
        return switch (target.group() + "/" + target.kind()) {
            case "/Service", "core/Service" -> Optional.of(TargetKind.SERVICE);
            case ISTIO + "/ServiceEntry" -> Optional.of(TargetKind.SERVICE_ENTRY);
            case GATEWAY_API + "/Gateway" -> Optional.of(TargetKind.GATEWAY);
            case GATEWAY_API + "/GatewayClass" -> Optional.of(TargetKind.GATEWAY_CLASS);
            default -> Optional.empty();
        };
    }
}
