// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.relay;

import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollSocketChannel;

/// How the TCP connections of a relay behave.
public final class StreamOptions {
    private static final int SMALLEST_READ = 1024;
    private static final int FIRST_READ = 4 * 1024;
    /// More makes bulk traffic slower: what was read should still be in the cache when it is encrypted.
    private static final int LARGEST_READ = 64 * 1024;

    private static final WriteBufferWaterMark UNSENT = new WriteBufferWaterMark(128 * 1024, 512 * 1024);

    private StreamOptions() {}

    /// For a channel that reads only when told, small amounts at first and large ones when there is much. Netty itself
    /// sets TCP_NODELAY.
    public static void apply(EpollSocketChannel channel) {
        var config = channel.config();
        config.setAutoRead(false);
        config.setAllowHalfClosure(true);
        config.setWriteBufferWaterMark(UNSENT);
        config.setRecvByteBufAllocator(new AdaptiveRecvByteBufAllocator(SMALLEST_READ, FIRST_READ, LARGEST_READ));
    }
}
