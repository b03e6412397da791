// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.waypoint;

import io.fathom.control.ambient.input.Keys;
import io.fathom.control.ambient.waypoint.Attachment.Reason;
import io.fathom.control.ambient.waypoint.Waypoint.Traffic;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.Set;

/// Who would go through a waypoint.
///
/// @param namespace that it is in
/// @param traffic what goes to it
/// @param accounts the service account of a workload, or those of the workloads of a service
public record Applicant(ObjectKey namespace, Traffic traffic, Origin origin, Set<String> accounts) {
    enum Origin {
        OBJECT,
        NAMESPACE
    }

    /// A service or workload of its own.
    public static Applicant object(ObjectKey key, Traffic traffic, Set<String> accounts) {
        return new Applicant(Keys.namespaceOf(key), traffic, Origin.OBJECT, accounts);
    }

    /// Whatever is in a namespace, of whatever account.
    static Applicant namespace(ObjectKey namespace, Traffic traffic) {
        return new Applicant(namespace, traffic, Origin.NAMESPACE, Set.of());
    }

    /// A namespace asks for all it holds at once; that pods are not meant is no mistake.
    Attachment refused(Reason reason, String message, Bypass bypass) {
        return origin == Origin.NAMESPACE && traffic == Traffic.WORKLOAD
                ? Attachment.nothing()
                : new Attachment.Refused(reason, message, bypass);
    }
}
