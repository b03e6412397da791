// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds;

import io.fathom.wire.ca.CertificateService;
import io.fathom.wire.xds.stream.StreamGate;
import java.util.Optional;

/// Who gets in at the ports of an [AdsServer], and what else is behind them.
///
/// @param plaintext the gate of the plaintext port; without it everybody gets in
/// @param tls likewise of the TLS port
/// @param certificates served on the TLS port too, with a gate of its own
public record AdsGates(
        Optional<StreamGate> plaintext, Optional<StreamGate> tls, Optional<CertificateService> certificates) {
    /// All open, nothing else behind.
    public static final AdsGates OPEN = new AdsGates(Optional.empty(), Optional.empty(), Optional.empty());
}
