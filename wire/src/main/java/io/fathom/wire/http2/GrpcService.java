// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.http2;

import java.io.IOException;
import java.util.Optional;

/// What a [GrpcConnection] serves.
@FunctionalInterface
public interface GrpcService {
    /// A call begins.
    ///
    /// @param method `package.Service/Method`
    /// @return nothing for a method that there is not
    Optional<Call> open(String method, Answers answers);

    /// Hears what a client says, on the thread that reads the connection.
    interface Call {
        /// The client says something.
        ///
        /// @throws IOException for a message that makes no sense: the connection ends
        void message(byte[] message) throws IOException;

        /// Nothing comes after this, and nothing can be answered.
        void ended();
    }

    /// Where answers go. Any thread.
    @FunctionalInterface
    interface Answers {
        /// What cannot be delivered any more is dropped.
        void send(byte[] message);
    }
}
