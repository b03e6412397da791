// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import io.fathom.model.policy.AuthorizationDecision;
import java.util.Optional;
import java.util.Set;

/// What to do with traffic for a pod of this node. Computed without I/O, executed elsewhere.
public sealed interface InboundDecision {
    /// Which source address the connection to the application has.
    enum SourceAddress {
        CLIENT,
        POD,
        LOOPBACK
    }

    /// A decision that policies were asked about.
    sealed interface Judged extends InboundDecision {
        /// What policies were asked about: the pod's address and the final port.
        IpPort destination();

        AuthorizationDecision authorization();

        /// The pod.
        Workload local();

        /// The service that the client most likely called.
        Optional<Service> service();

        /// The workload at the peer's address, when that is on our network.
        Optional<Workload> client();
    }

    /// Dial the application.
    ///
    /// @param hop where it is dialled
    /// @param proxyTarget if present, a PROXY header with this destination goes before the payload
    record Forward(
            IpPort hop,
            IpPort destination,
            SourceAddress source,
            Optional<IpPort> proxyTarget,
            AuthorizationDecision authorization,
            Workload local,
            Optional<Service> service,
            Optional<Workload> client)
            implements Judged {}

    /// Send it through the pod's waypoint, which brings it back over HBONE: dial `hop` over mTLS as the pod, accept
    /// only `peers`, then send `CONNECT destination`.
    ///
    /// @param identity of the pod
    /// @param waypoint the endpoint at `hop`
    record Hairpin(
            IpPort hop,
            Identity identity,
            Set<Identity> peers,
            Workload waypoint,
            IpPort destination,
            AuthorizationDecision authorization,
            Workload local,
            Optional<Service> service,
            Optional<Workload> client)
            implements Judged {}

    /// Answer with [Reason#status()] and `message`; what was captured is closed instead.
    record Reject(Reason reason, String message) implements InboundDecision {}

    /// Policies forbid it: answer 401 and count it, unlike the early rejections.
    record Deny(
            IpPort destination,
            AuthorizationDecision authorization,
            Workload local,
            Optional<Service> service,
            Optional<Workload> client)
            implements Judged {
        public static final int STATUS = 401;
    }

    /// What is wrong with a request, in the order it is checked.
    enum Reason {
        NOT_CONNECT(400),
        BAD_AUTHORITY(400),
        UNKNOWN_WORKLOAD(503),
        IP_MISMATCH(400),
        UNKNOWN_HOST(503),
        UNKNOWN_PORT(503),
        ILLEGAL_PORT(503),
        NO_TUNNEL_TARGET(503),
        /// The pod wants it to go through a waypoint that the control plane has not told of.
        WAYPOINT_UNKNOWN(503),
        WAYPOINT_UNUSABLE(503);

        private final int status;

        Reason(int status) {
            this.status = status;
        }

        public int status() {
            return status;
        }
    }
}
