// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;

/// Makes a channel out of a tunnel, for protocols that bring handlers of their own. On the event loop of the tunnel.
public final class ChannelOpening implements TunnelOpening {
    private final ChannelHandler handlers;
    private final ChannelListener listener;

    /// Hears exactly once how it went, on an event loop.
    public interface ChannelListener {
        void opened(Channel channel);

        void failed(HboneFailure failure);
    }

    /// @param handlers are there before the first byte
    public ChannelOpening(ChannelHandler handlers, ChannelListener listener) {
        this.handlers = handlers;
        this.listener = listener;
    }

    @Override
    public void opened(Opened opened) {
        var tunnel = opened.tunnel();
        var channel = new TunnelChannel(tunnel);
        var _ = tunnel.loop().register(channel).addListener(registered -> {
            if (registered.isSuccess()) {
                listener.opened(channel);
                channel.pipeline().addLast(handlers);
                channel.begin();
            } else {
                tunnel.reset(Tunnel.Reset.CANCELLED);
                listener.failed(new HboneFailure.Closed());
            }
        });
    }

    @Override
    public void failed(HboneFailure failure) {
        listener.failed(failure);
    }
}
