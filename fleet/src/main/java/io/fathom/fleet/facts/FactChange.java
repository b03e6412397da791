// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.facts;

/// What one origin now says of one service.
///
/// @param readyBefore how many endpoints were ready; [#ABSENT] if the origin did not have the service
/// @param readyNow the same, from now on
public record FactChange(int row, int origin, int readyBefore, int readyNow, ChangeKind kind) {
    public static final int ABSENT = -1;

    /// What is different.
    public enum ChangeKind {
        /// The numbers of endpoints alone.
        WEIGHT,
        /// More than that.
        SERVICE
    }

    /// Whether it decides between having endpoints and having none.
    public boolean isUrgent() {
        return kind == ChangeKind.SERVICE || readyBefore == 0 || readyNow == 0;
    }
}
