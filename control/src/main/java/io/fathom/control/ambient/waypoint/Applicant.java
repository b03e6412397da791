// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.waypoint;

import io.fathom.control.ambient.input.Keys;
import io.fathom.control.ambient.waypoint.Attachment.AttachmentReason;
import io.fathom.control.ambient.waypoint.Waypoint.Traffic;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.Set;

/// Who would go through a waypoint.
///
/// @param namespace that it is in
/// @param traffic what goes to it
/// @param accounts the service account of a workload, or those of the workloads of a service
public record Applicant(ObjectKey namespace, Traffic traffic, ApplicantOrigin origin, Set<String> accounts) {
    enum ApplicantOrigin {
        OBJECT,
        NAMESPACE
    }

    /// A service or workload of its own.
    public static Applicant object(ObjectKey key, Traffic traffic, Set<String> accounts) {
        return new Applicant(Keys.namespaceOf(key), traffic, ApplicantOrigin.OBJECT, accounts);
    }

    /// Whatever is in a namespace, of whatever account.
    static Applicant namespace(ObjectKey namespace, Traffic traffic) {
        return new Applicant(namespace, traffic, ApplicantOrigin.NAMESPACE, Set.of());
    }

    /// A namespace asks for all it holds at once; that pods are not meant is no mistake.
    Attachment refused(AttachmentReason reason, String message, Bypass bypass) {
        return origin == ApplicantOrigin.NAMESPACE && traffic == Traffic.WORKLOAD
                ? Attachment.nothing()
                : new Attachment.Refused(reason, message, bypass);
    }
}
