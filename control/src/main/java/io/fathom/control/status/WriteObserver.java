// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import io.fathom.base.lang.Problem;

/// Counts what is written back. Called by several threads.
public interface WriteObserver {
    /// Told to nobody.
    WriteObserver NONE = (kind, outcome) -> {};

    /// What became of looking at one object.
    enum WriteResult {
        WRITTEN,
        /// It held already what it should.
        UNCHANGED,
        /// To be tried again.
        RETRIED,
        /// Not tried again before its next change.
        FAILED
    }

    void looked(String kind, WriteResult outcome);

    /// An object that could not be written.
    default void problem(String object, Problem problem) {}
}
