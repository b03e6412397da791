// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.base.lang.Problem;
import io.fathom.control.ambient.input.Entry;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.input.Markers;
import io.fathom.control.ambient.policy.L4Policies;
import io.fathom.control.ambient.policy.L4Rule;
import io.fathom.control.ambient.vip.Vips;
import io.fathom.control.ambient.waypoint.Attachment;
import io.fathom.control.ambient.waypoint.Attachment.AttachmentReason;
import io.fathom.control.ambient.waypoint.HairpinWish;
import io.fathom.control.ambient.waypoint.WaypointRequest;
import io.fathom.control.ambient.workload.PodWorkloads;
import io.fathom.control.problem.ObjectProblem;
import io.fathom.control.problem.ProblemKey;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.networking.ServiceEntryManifest;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What users should know and no condition says: a pod that asked for a waypoint or for the way through it in vain, a
/// Gateway for a service account without a name, a ServiceEntry that is not served, a policy of which a part cannot be
/// read.
final class Problems {
    private final Table<ProblemKey, ObjectProblem> table;

    /// @param more from elsewhere
    Problems(
            Flow flow,
            Inputs inputs,
            PodWorkloads pods,
            Table<ObjectKey, Vips> vips,
            List<Table<ProblemKey, ObjectProblem>> more) {
        // Few pods ask for something of their own, so only they are looked at again.
        var asking = flow.derive(
                "pods/asking",
                inputs.pods(),
                (fetch, pod) -> Optional.of(pod).filter(own -> asksForWaypoint(own) || asksForHairpin(own)));
        var all = new ArrayList<>(more);
        all.addAll(List.of(
                flow.deriveMany("problems/pods", asking, (fetch, pod) -> rows(pod, "", waypoint(fetch, pod, pods))),
                flow.deriveMany(
                        "problems/gateways",
                        inputs.gateways(),
                        (_, gateway) -> rows(gateway, "metadata.annotations", account(gateway))),
                flow.deriveMany(
                        "problems/policies",
                        inputs.authorizationPolicies(),
                        (_, policy) -> rows(policy, "spec.rules", unreadable(policy))),
                flow.deriveMany(
                        "problems/service-entries",
                        inputs.serviceEntries(),
                        (_, entry) -> rows(entry, "spec.addresses", address(entry))),
                flow.deriveMany(
                        "problems/unallocated",
                        inputs.serviceEntries(),
                        (fetch, entry) -> rows(entry, "", fetch.own(vips).flatMap(Vips::problem)))));
        table = flow.join("problems", all);
    }

    private static Map<ProblemKey, ObjectProblem> rows(Manifest object, String field, Optional<Problem> problem) {
        return ObjectProblem.rows(problem.stream()
                .map(own -> ObjectProblem.error(ManifestId.of(object), field, own))
                .toList());
    }

    private static Optional<Problem> waypoint(Fetch<ObjectKey> fetch, PodManifest pod, PodWorkloads pods) {
        return switch (pods.attachment(fetch, pod)) {
            case Attachment.Refused(AttachmentReason reason, String message, var _)
            when asksForWaypoint(pod) ->
                Optional.of(Problem.ofInput(
                        "waypoint-refused",
                        "Pod " + pod.key().path() + " asks for a waypoint (" + reason.text() + "): " + message,
                        "correct the label " + Markers.USE_WAYPOINT + " of the pod, or the Gateway"));
            case Attachment.Refused _, Attachment.Bound _, Attachment.Nothing _ -> pods.hairpinProblem(fetch, pod);
        };
    }

    Table<ProblemKey, ObjectProblem> table() {
        return table;
    }

    private static Optional<Problem> account(GatewayManifest gateway) {
        return Optional.ofNullable(gateway.annotations().get(Markers.FOR_SERVICE_ACCOUNT))
                .filter(String::isBlank)
                .map(_ -> Problem.ofInput(
                        "waypoint-account-empty",
                        "Gateway " + gateway.key().path() + " is for no service account in particular: its annotation "
                                + Markers.FOR_SERVICE_ACCOUNT + " is empty",
                        "write the name of a service account of namespace " + gateway.namespace()
                                + " there, or remove the annotation"));
    }

    private static boolean asksForWaypoint(PodManifest pod) {
        return WaypointRequest.of(pod.labels(), pod.namespace())
                .filter(request -> !request.isOptOut())
                .isPresent();
    }

    private static boolean asksForHairpin(PodManifest pod) {
        return HairpinWish.of(pod.annotations()) != HairpinWish.NONE;
    }

    private static Optional<Problem> unreadable(AuthorizationPolicyManifest policy) {
        var values = policy.targets().isEmpty()
                ? policy.rules().stream()
                        .flatMap(rule -> L4Rule.of(rule, policy.namespace()).unreadable().stream())
                        .toList()
                : List.<String>of();
        return values.isEmpty()
                ? Optional.empty()
                : Optional.of(Problem.ofInput(
                        "policy-value-unreadable",
                        "AuthorizationPolicy " + policy.key().path() + ": "
                                + L4Policies.effectOf(values, policy.action()),
                        "write ports as numbers up to 65535, addresses as 10.0.0.1 or 10.0.0.0/24, * at one end only"));
    }

    private static Optional<Problem> address(ServiceEntryManifest entry) {
        return Entry.parseAddresses(entry).isPresent()
                ? Optional.empty()
                : Optional.of(Problem.ofInput(
                        "service-entry-address",
                        "ServiceEntry " + entry.key().path() + " is not served: one of its addresses "
                                + entry.addresses() + " is neither an IP nor a block",
                        "write every address as 10.0.0.1 or 10.0.0.0/24"));
    }
}
