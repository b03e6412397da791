// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import io.fathom.model.mesh.IpPort;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.tls.CertificateSource;
import io.fathom.wire.tls.MeshTls;
import io.fathom.wire.tls.TlsPeer;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// Puts a second connection into a tunnel, and one tunnel into that. On the event loop of the outer tunnel.
final class InnerOpening
        implements TunnelOpening, Dialer.LinkListener, ClientAnswer.AnswerListener, HboneClientHandler.ConnectionOwner {
    private final IpPort hop;
    private final InnerTunnel inner;
    private final CertificateSource certificates;
    private final MeshTls tls;
    private final HboneLimits limits;
    private final TunnelOpening opening;
    private final HboneClientHandler handler;
    private TlsPeer peer = TlsPeer.NONE;

    InnerOpening(
            IpPort hop,
            InnerTunnel inner,
            CertificateSource certificates,
            MeshTls tls,
            HboneLimits limits,
            TunnelOpening opening) {
        this.hop = hop;
        this.inner = inner;
        this.certificates = certificates;
        this.tls = tls;
        this.limits = limits;
        this.opening = opening;
        this.handler = new HboneClientHandler(limits, hop, this);
    }

    // ---- the outer tunnel

    @Override
    public void opened(Opened outer) {
        opening.halfway();
        var _ = certificates
                .certificate(inner.source())
                .toCompletableFuture()
                .copy()
                .orTimeout(limits.times().dial().toMillis(), TimeUnit.MILLISECONDS)
                .whenCompleteAsync(
                        (identity, failure) -> {
                            if (failure == null) {
                                secure(outer.tunnel(), identity);
                            } else {
                                outer.tunnel().reset(Tunnel.Reset.CANCELLED);
                                opening.failed(
                                        new HboneFailure.CertificateMissing(inner.source(), Failures.problem(failure)));
                            }
                        },
                        outer.tunnel().loop());
    }

    private void secure(Tunnel outer, TlsIdentity identity) {
        var channel = new TunnelChannel(outer);
        outer.loop().register(channel).addListener(registered -> {
            if (registered.isSuccess()) {
                Dialer.secure(channel, hop, inner.accepted(), identity, tls, limits, this);
                channel.begin();
            } else {
                outer.reset(Tunnel.Reset.CANCELLED);
                opening.failed(new HboneFailure.DialFailed(hop, Failures.text(registered.cause())));
            }
        });
    }

    /// Of either tunnel.
    @Override
    public void failed(HboneFailure failure) {
        opening.failed(failure);
    }

    // ---- the inner connection

    @Override
    public Http2Link secured(TlsPeer innerPeer) {
        peer = innerPeer;
        handler.whenAdded(() -> {
            handler.open(inner.headers(), this);
            handler.retire(); // there will be no other
        });
        return handler;
    }

    @Override
    public void accepted(Tunnel tunnel, Optional<String> baggage) {
        opening.opened(new Opened(tunnel, peer, baggage));
    }

    @Override
    public void unsent(HboneFailure failure) {
        opening.failed(failure);
    }

    @Override
    public void streamOver() {
        // the connection ends by itself
    }

    @Override
    public void unusable(HboneFailure why) {
        // it was never to be used again
    }

    @Override
    public void peerLimit(long streams) {
        // one is enough
    }
}
