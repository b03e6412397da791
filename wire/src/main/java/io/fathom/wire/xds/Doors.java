package io.fathom.wire.xds;

import io.grpc.ServerServiceDefinition;
import java.util.List;
import java.util.Optional;

/// Who gets in at the ports of an [AdsServer], and what else is behind them.
///
/// @param plaintext the gate of the plaintext port; without it everybody gets in
/// @param tls likewise of the TLS port
/// @param behindTls more services on the TLS port, which guard themselves
public record Doors(Optional<StreamGate> plaintext, Optional<StreamGate> tls, List<ServerServiceDefinition> behindTls) {
    /// All open, nothing else behind.
    public static final Doors OPEN = new Doors(Optional.empty(), Optional.empty(), List.of());

    public Doors {
        behindTls = List.copyOf(behindTls);
    }
}
