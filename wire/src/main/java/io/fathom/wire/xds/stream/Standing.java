// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.stream;

/// Where a client stands with a [Milestone].
public enum Standing {
    /// It has yet to be told, or to answer.
    BEHIND,
    ACKNOWLEDGED,
    /// It refuses something that the milestone needs.
    REFUSED
}
