// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AcceptHandlerTest {
    /// Weakness l.
    @Test
    void givenNoFreeFileDescriptors_whenAcceptingFails_thenTheListenerRestsAndGoesOnLater() {
        var channel = new EmbeddedChannel();
        channel.freezeTime();
        channel.pipeline().addLast(new AcceptHandler(accepted -> {}));
        channel.pipeline().fireExceptionCaught(new IOException("accept: Too many open files"));
        channel.pipeline().fireExceptionCaught(new IOException("accept: Too many open files"));
        assertThat(channel.config().isAutoRead()).isFalse();
        channel.advanceTimeBy(1, TimeUnit.SECONDS);
        channel.runScheduledPendingTasks();
        assertThat(channel.config().isAutoRead()).isTrue();
        assertThat(channel.isOpen()).isTrue();
    }
}
