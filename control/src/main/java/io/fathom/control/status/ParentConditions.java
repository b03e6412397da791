// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import io.fathom.base.lang.Problem;
import io.fathom.control.ambient.status.StatusCondition;
import io.fathom.control.gateway.Finding;
import io.fathom.control.gateway.ParentVerdict;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.gateway.RouteManifest.ParentRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What a route or policy says about one of its parents: in a cluster's status, on pages, in the list of problems.
/// Pure.
final class ParentConditions {
    static final String ACCEPTED = "Accepted";
    static final String RESOLVED_REFS = "ResolvedRefs";
    static final String PARTIALLY_INVALID = "PartiallyInvalid";
    /// Upstream's, for parents inside the mesh.
    private static final String RESOLVED_WAYPOINTS = "ResolvedWaypoints";

    private ParentConditions() {}

    /// @param refusal what proxies do not take of it: they go on with what they had
    static List<StatusCondition> of(ParentVerdict verdict, Optional<Problem> refusal) {
        var conditions = new ArrayList<>(
                List.of(condition(ACCEPTED, verdict.accepted()), condition(RESOLVED_REFS, verdict.resolved())));
        verdict.waypoints().ifPresent(finding -> conditions.add(condition(RESOLVED_WAYPOINTS, finding)));
        refusal.filter(_ -> verdict.accepted().isGood())
                .ifPresent(problem -> conditions.add(new StatusCondition(
                        PARTIALLY_INVALID, StatusCondition.Status.TRUE, "UnsupportedValue", problem.toString())));
        return conditions;
    }

    private static StatusCondition condition(String type, Finding finding) {
        return new StatusCondition(
                type,
                finding.isGood() ? StatusCondition.Status.TRUE : StatusCondition.Status.FALSE,
                finding.reason(),
                finding.message());
    }

    /// `Gateway/shop/edge`, then a slash and what of it is meant, if it is not all.
    static String name(ParentRef parent, ManifestId child) {
        var namespace = parent.namespaceFor(child.key().namespace());
        return parent.kind() + "/" + namespace + "/" + parent.name()
                + (parent.section().isEmpty() ? "" : "/" + parent.section())
                + (parent.port() == 0 ? "" : ":" + parent.port());
    }
}
