// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.peering;

/// Whether the gateway of another cluster can be used from here, as probes say. The order is from good to bad.
public enum Reachability {
    /// The gateway of that very cluster answers.
    REACHABLE,
    /// Nobody knows: it was not asked yet, or what answers cannot prove which cluster it belongs to.
    UNKNOWN,
    /// It failed several times in a row. It gets less than its share.
    SUSPECT,
    /// It failed for long. It gets nothing while there is another way.
    DOWN
}
