package io.fathom.control.ambient;

import io.fathom.model.mesh.GatewayAddress;
import io.fathom.wire.kube.ObjectKey;
import java.util.Optional;

/// What asking for a waypoint led to.
sealed interface Attachment {
    /// Nobody asked, or the object opted out.
    record Nothing() implements Attachment {}

    /// Traffic goes through that Gateway.
    record Bound(ObjectKey gateway, GatewayAddress destination) implements Attachment {}

    /// Somebody asked and did not get it; traffic goes directly.
    record Refused(Reason reason, String message) implements Attachment {}

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

    default Optional<GatewayAddress> address() {
        return bound().map(Bound::destination);
    }
}
