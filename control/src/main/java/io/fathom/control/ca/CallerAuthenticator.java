// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import io.fathom.base.lang.Problem;
import io.fathom.wire.auth.Credentials;

/// One way to find out who calls. Any thread; may block for a remote call.
public interface CallerAuthenticator {
    Attempt authenticate(Credentials credentials);

    /// How that went.
    sealed interface Attempt {
        record Authenticated(Caller caller) implements Attempt {}

        /// There was nothing of this kind among the credentials.
        record NotPresented() implements Attempt {}

        /// There was, and it proves nothing.
        record Rejected(Problem problem) implements Attempt {}
    }

    static Attempt rejected(String code, String message) {
        return new Attempt.Rejected(
                Problem.ofInput(code, message, "present a client certificate of the mesh or a fresh token"));
    }
}
