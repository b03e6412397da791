// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import java.util.Optional;

/// Where a lock is kept. Failures are [io.fathom.base.lang.ProblemException]s.
interface LockStore {
    /// A lock as it was read.
    ///
    /// @param version to tell whether somebody else changed it meanwhile
    record HeldLock(LockRecord record, String version) {}

    Optional<HeldLock> read();

    /// Fails when there is one already.
    void create(LockRecord record);

    /// Fails when it is not as it was read any more.
    void replace(HeldLock before, LockRecord record);
}
