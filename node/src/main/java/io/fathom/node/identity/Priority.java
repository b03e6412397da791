// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.identity;

/// Who is served first.
public enum Priority {
    /// A connection waits for it.
    REAL_TIME,
    /// A workload has come that will need it.
    WARMUP,
    /// There is one that will do for now.
    BACKGROUND
}
