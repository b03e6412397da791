// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.auth;

/// Whether a call may go on.
public sealed interface Admission<T> {
    /// It may, as `who`.
    record Admitted<T>(T who) implements Admission<T> {}

    /// It may not; the message goes to the caller.
    record Refused<T>(String message) implements Admission<T> {}
}
