// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.sds;

import java.io.IOException;

/// One client's stream: what it wants, and what it has been sent. Any thread.
interface SecretStream {
    /// The client says something.
    ///
    /// @throws IOException for a message that makes no sense
    void message(byte[] message) throws IOException;

    /// These are there now.
    void offer(Secrets secrets);
}
