// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import io.fathom.model.mesh.GatewayAddress;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.Optional;

/// What asking for a waypoint led to.
sealed interface Attachment {
    /// Nobody asked, or the object opted out.
    record Nothing() implements Attachment {}

    /// Traffic goes through that Gateway.
    record Bound(ObjectKey gateway, GatewayAddress destination, Bypass bypass) implements Attachment {}

    /// Somebody asked and did not get it; traffic goes directly, if bypassing is allowed.
    record Refused(Reason reason, String message, Bypass bypass) implements Attachment {}

    /// Known to users as the reason of a condition.
    enum Reason {
        NOT_READY("WaypointIsNotReady"),
        DENIED("AttachmentDenied"),
        WRONG_TRAFFIC("UnsupportedTrafficType"),
        CROSS_NAMESPACE("CrossNamespaceWaypointForbidden"),
        LOOP("WaypointLoop");

        private final String text;

        Reason(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    static Attachment nothing() {
        return new Nothing();
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
