// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.lang;

import java.time.Instant;
import java.time.InstantSource;

/// The time of day, and what is to happen later. Code that waits takes one of these, so that a test can move the time
/// by hand instead of waiting too.
public interface Timeline extends InstantSource {
    /// Runs `task` once, not before `time`, on a thread of its own that may block.
    Appointment at(Instant time, Runnable task);

    /// Something that has been agreed for later. Closing it takes it back; once it has begun, closing does nothing.
    interface Appointment extends AutoCloseable {
        @Override
        void close();
    }
}
