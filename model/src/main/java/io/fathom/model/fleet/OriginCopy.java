// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.fleet;

/// What a cluster said of its services, as one management server tells another.
///
/// @param origin the number of the cluster
/// @param said a [FleetUp.ExportsEnd] at the end of a whole
/// @param before of a change: the version that it follows; else nothing
public record OriginCopy(int origin, CopyPart part, FleetUp said, FactVersion before) {
    /// What a message is a part of.
    public enum CopyPart {
        CHANGE,
        /// All that the cluster has said up to one version.
        WHOLE,
        /// There is no more of it; it may have said more that no server has heard.
        WHOLE_UNSETTLED,
        /// There is no more of it.
        WHOLE_SETTLED
    }
}
