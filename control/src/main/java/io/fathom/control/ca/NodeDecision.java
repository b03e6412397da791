// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import io.fathom.model.mesh.Identity;
import java.util.Locale;

/// Whether a node proxy may have a certificate of another identity.
public sealed interface NodeDecision {
    /// A pod of that identity runs on the caller's node.
    record Granted(Identity identity, String node) implements NodeDecision {}

    /// It may not.
    ///
    /// @param detail for the log, never for the caller
    record Refused(NodeDenial reason, String detail) implements NodeDecision {}

    /// Why not, in the order in which it is looked at.
    enum NodeDenial {
        /// No account is trusted to act for its node.
        FEATURE_OFF,
        /// The caller's token is not bound to a pod, so its node is unknown.
        NOT_BOUND_TO_A_POD,
        /// The pods of the caller's cluster are not known, or no longer.
        UNKNOWN_CLUSTER,
        /// The caller's service account is not one that acts for its node.
        CALLER_NOT_TRUSTED,
        /// What is asked for is no workload identity.
        NOT_AN_IDENTITY,
        /// What is asked for is in somebody else's trust domain.
        FOREIGN_TRUST_DOMAIN,
        /// The caller's pod does not exist (any more).
        UNKNOWN_POD,
        /// Another pod has the name of the caller's pod now.
        OTHER_POD,
        /// The caller's pod runs as another account than the token says.
        OTHER_ACCOUNT,
        /// The caller's pod runs on another node than the token says, or on none.
        OTHER_NODE,
        /// No pod with the identity asked for runs on the caller's node.
        NOT_ON_NODE;

        /// As metrics and logs name it.
        public String code() {
            return "node-" + name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }
}
