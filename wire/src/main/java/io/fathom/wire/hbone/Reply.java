// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import java.util.Optional;

/// The one answer to a [TunnelRequest], to be given on its event loop.
public interface Reply {
    /// Answers 200. If the peer has gone meanwhile, the tunnel tells its listener so.
    ///
    /// @param baggage what the peer is told about the workload that answers
    Tunnel accept(Optional<String> baggage);

    /// Answers with a status other than 200, and a text for whoever looks into it. Does nothing if the peer has
    /// gone.
    void refuse(int status, String text);

    /// False once the peer has taken the request back: nothing needs to be dialled any more.
    boolean isWanted();
}
