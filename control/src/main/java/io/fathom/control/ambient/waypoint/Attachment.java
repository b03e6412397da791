// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.waypoint;

import io.fathom.control.ambient.input.Markers;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.Optional;

/// What asking for a waypoint led to.
public sealed interface Attachment {
    /// Nobody asked, or the object opted out.
    record Nothing() implements Attachment {}

    /// Traffic goes through that Gateway.
    record Bound(ObjectKey gateway, GatewayAddress destination, Bypass bypass) implements Attachment {}

    /// Somebody asked and did not get it; traffic goes directly, if bypassing is allowed.
    record Refused(AttachmentReason reason, String message, Bypass bypass) implements Attachment {}

    /// Known to users as the reason of a condition.
    enum AttachmentReason {
        NOT_READY("WaypointIsNotReady"),
        DENIED("AttachmentDenied"),
        WRONG_TRAFFIC("UnsupportedTrafficType"),
        CROSS_NAMESPACE("CrossNamespaceWaypointForbidden"),
        LOOP("WaypointLoop");

        private final String text;

        AttachmentReason(String text) {
            this.text = text;
        }

        public String text() {
            return text;
        }
    }

    static Attachment nothing() {
        return new Nothing();
    }

    /// What belongs to a gateway cannot go through one.
    static Refused loop(WaypointRequest request, Optional<ObjectKey> gateway) {
        return new Refused(
                AttachmentReason.LOOP,
                "belongs to " + gateway.map(key -> "Gateway " + key.path()).orElse("a gateway")
                        + ", so its traffic cannot go through waypoint " + request.path()
                        + "; remove the label " + Markers.USE_WAYPOINT,
                Bypass.ALLOWED);
    }

    /// The waypoint that traffic goes through.
    default Optional<Bound> bound() {
        return switch (this) {
            case Bound bound -> Optional.of(bound);
            case Nothing _, Refused _ -> Optional.empty();
        };
    }

    /// Whether calls may come another way than through what was asked for.
    default Bypass bypass() {
        return switch (this) {
            case Bound bound -> bound.bypass;
            case Refused refused -> refused.bypass;
            case Nothing _ -> Bypass.ALLOWED;
        };
    }

    default Optional<GatewayAddress> address() {
        return bound().map(Bound::destination);
    }
}
