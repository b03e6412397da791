// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds;

import io.fathom.wire.ca.CertificateService;
import io.fathom.wire.peering.FeedService;
import io.fathom.wire.xds.stream.StreamGate;
import java.util.Optional;

/// Who gets in at the ports of an [AdsServer], and what else is behind them.
///
/// @param plaintext the gate of the plaintext port; without it everybody gets in
/// @param tls likewise of the TLS port
/// @param certificates served on the TLS port too, with a gate of its own
/// @param feed served on both ports, with a gate of its own
public record AdsGates(
        Optional<StreamGate> plaintext,
        Optional<StreamGate> tls,
        Optional<CertificateService> certificates,
        Optional<FeedService> feed) {
    /// All open, nothing else behind.
    public static final AdsGates OPEN =
            new AdsGates(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    /// Without a feed.
    public AdsGates(
            Optional<StreamGate> plaintext, Optional<StreamGate> tls, Optional<CertificateService> certificates) {
        this(plaintext, tls, certificates, Optional.empty());
    }

    public AdsGates withFeed(FeedService service) {
        return new AdsGates(plaintext, tls, certificates, Optional.of(service));
    }
}
