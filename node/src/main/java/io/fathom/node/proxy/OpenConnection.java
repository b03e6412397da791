// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy;

import io.fathom.model.mesh.IpPort;
import io.fathom.model.policy.Attempt;
import io.fathom.wire.tls.TlsPeer;
import java.util.Optional;
import java.util.function.Consumer;

/// A connection in the [ConnectionLedger]. Each is equal to itself only.
public final class OpenConnection {
    /// How it is carried between nodes.
    public enum Protocol {
        TCP,
        HBONE,
        DOUBLEHBONE
    }

    public enum Direction {
        INBOUND,
        OUTBOUND
    }

    /// What the dump shows.
    ///
    /// @param originalDestination what the client asked for, if known
    public record Shown(
            Direction direction,
            IpPort source,
            Optional<String> originalDestination,
            IpPort actualDestination,
            Protocol protocol) {}

    private final Shown shown;
    private final Optional<Attempt> attempt;
    private final TlsPeer peer;
    private final Consumer<CloseReason> cutter;

    private OpenConnection(Shown shown, Optional<Attempt> attempt, TlsPeer peer, Consumer<CloseReason> cutter) {
        this.shown = shown;
        this.attempt = attempt;
        this.peer = peer;
        this.cutter = cutter;
    }

    /// One that policies are asked about again when they change.
    ///
    /// @param cutter ends it; called on any thread, maybe more than once
    public static OpenConnection inbound(Shown shown, Attempt attempt, TlsPeer peer, Consumer<CloseReason> cutter) {
        return new OpenConnection(shown, Optional.of(attempt), peer, cutter);
    }

    /// One that only the other side has policies about.
    ///
    /// @param cutter ends it; called on any thread, maybe more than once
    public static OpenConnection outbound(Shown shown, TlsPeer peer, Consumer<CloseReason> cutter) {
        return new OpenConnection(shown, Optional.empty(), peer, cutter);
    }

    public Shown shown() {
        return shown;
    }

    Optional<Attempt> attempt() {
        return attempt;
    }

    TlsPeer peer() {
        return peer;
    }

    void cut(CloseReason reason) {
        cutter.accept(reason);
    }
}
