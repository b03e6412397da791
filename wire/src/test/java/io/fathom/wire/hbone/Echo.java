// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import io.netty.buffer.ByteBuf;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/// Accepts everything and sends back what it gets, with backpressure.
final class Echo implements TunnelAcceptor {
    final Queue<TunnelRequest> requests = new ConcurrentLinkedQueue<>();
    final Queue<HboneFailure> rejections = new ConcurrentLinkedQueue<>();
    final Queue<Tunnel.Reset> resets = new ConcurrentLinkedQueue<>();
    final Queue<Tunnel> tunnels = new ConcurrentLinkedQueue<>();

    @Override
    public void requested(TunnelRequest request, Reply reply) {
        requests.add(request);
        if (!request.method().equals("CONNECT")) {
            reply.refuse(400, "only CONNECT");
            return;
        }
        var tunnel = reply.accept(Optional.of("service.name=echo"));
        tunnels.add(tunnel);
        tunnel.listen(new Answering(tunnel));
    }

    @Override
    public void rejected(io.fathom.model.mesh.IpPort peer, io.fathom.model.mesh.IpPort local, HboneFailure failure) {
        rejections.add(failure);
    }

    private final class Answering implements TunnelListener {
        private final Tunnel tunnel;
        private int owed;

        Answering(Tunnel tunnel) {
            this.tunnel = tunnel;
        }

        @Override
        public void received(ByteBuf data) {
            owed += data.readableBytes();
            tunnel.write(data);
            settle();
        }

        private void settle() {
            if (tunnel.isWritable()) {
                tunnel.consumed(owed);
                owed = 0;
            }
        }

        @Override
        public void readComplete() {
            tunnel.flush();
        }

        @Override
        public void writable() {
            settle();
        }

        @Override
        public void finished() {
            tunnel.finish();
        }

        @Override
        public void reset(Tunnel.Reset reason) {
            resets.add(reason);
        }
    }
}
