// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.trust;

/// What we were told to trust of another cluster.
///
/// @param cluster whose roots they are
public record PeerTrust(String cluster, TrustBundle bundle, TrustConsent consent) {
    /// What the roots may be used for.
    public enum TrustConsent {
        /// For a trust domain that nobody else has.
        OWN_DOMAIN,
        /// Also for one that we or another cluster have, with other roots: each can issue identities of all then.
        SHARED_DOMAIN
    }
}
