// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.zds;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.posix.PosixException;
import io.fathom.base.posix.SeqPacketListener;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/// Where the agent waits for proxies. One thread accepts, another may close.
public final class ZdsListener implements AutoCloseable {
    private final SeqPacketListener listener;

    private ZdsListener(SeqPacketListener listener) {
        this.listener = listener;
    }

    /// A socket left from before is replaced. Anybody may connect to it; [ZdsConnection#peer()] tells who did.
    public static ZdsListener bind(Path path) throws ProblemException {
        try {
            return new ZdsListener(SeqPacketListener.bind(path, "rw-rw-rw-"));
        } catch (IOException e) {
            throw new ProblemException(new Problem(
                    "zds-cannot-listen",
                    "cannot listen at " + path + ": " + e,
                    "check that its folder exists and can be written to",
                    Problem.Origin.SERVER,
                    Problem.Retry.SENSIBLE));
        }
    }

    /// Waits for the next proxy, which has not greeted yet; empty once this is closed.
    public Optional<ZdsConnection> accept() throws ProblemException {
        try {
            return listener.accept().map(ZdsConnection::new);
        } catch (PosixException e) {
            throw new ProblemException(e.problem("zds-cannot-accept"));
        }
    }

    @Override
    public void close() {
        listener.close();
    }
}
