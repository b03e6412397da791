// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.service;

import io.fathom.control.ambient.waypoint.Attachment;
import io.fathom.control.ambient.waypoint.Bypass;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.Optional;
import java.util.stream.Stream;

/// The Gateways in front of a service, as its workloads see them.
///
/// @param bypass also forbidden where a waypoint is wanted and there is none
record Fronts(Optional<ObjectKey> waypoint, Optional<ObjectKey> canary, Bypass bypass) {
    static Fronts of(ServiceAttachment attachment) {
        return new Fronts(
                attachment.primary().bound().map(Attachment.Bound::gateway),
                attachment.canary(),
                attachment.primary().bypass());
    }

    Stream<ObjectKey> all() {
        return Stream.concat(waypoint.stream(), canary.stream());
    }
}
