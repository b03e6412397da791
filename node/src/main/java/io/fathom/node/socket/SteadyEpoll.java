// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.socket;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.util.concurrent.ThreadAwareExecutor;

/// Netty's epoll, for event loops whose connections may be half closed.
///
/// Netty 4.2.18 takes a descriptor out of epoll when nothing is wanted of it, as after the end of its input, and does
/// not put it back when something is: the first write that has to wait then fails with "No such file or directory" and
/// closes the connection. Here it stays in, edge-triggered and without events, so that errors are still told, once.
public final class SteadyEpoll implements IoHandlerFactory {
    private final IoHandlerFactory epoll = EpollIoHandler.newFactory();

    @Override
    public IoHandler newHandler(ThreadAwareExecutor executor) {
        return new Handler(epoll.newHandler(executor));
    }

    @Override
    public boolean isChangingThreadSupported() {
        return epoll.isChangingThreadSupported();
    }

    private record Handler(IoHandler epoll) implements IoHandler {
        @Override
        public void initialize() {
            epoll.initialize();
        }

        @Override
        public int run(IoHandlerContext context) {
            return epoll.run(context);
        }

        @Override
        public void prepareToDestroy() {
            epoll.prepareToDestroy();
        }

        @Override
        public void destroy() {
            epoll.destroy();
        }

        @Override
        public IoRegistration register(IoHandle handle) throws Exception {
            return new Registration(epoll.register(handle));
        }

        @Override
        public void wakeup() {
            epoll.wakeup();
        }

        @Override
        public boolean isCompatible(Class<? extends IoHandle> type) {
            return epoll.isCompatible(type);
        }
    }

    private record Registration(IoRegistration epoll) implements IoRegistration {
        @Override
        @SuppressWarnings("TypeParameterUnusedInFormals") // so does Netty
        public <T> T attachment() {
            return epoll.attachment();
        }

        @Override
        public long submit(IoOps wanted) {
            return epoll.submit(EpollIoOps.NONE.equals(wanted) ? EpollIoOps.EPOLLET : wanted);
        }

        @Override
        public boolean isValid() {
            return epoll.isValid();
        }

        @Override
        public boolean cancel() {
            return epoll.cancel();
        }
    }
}
