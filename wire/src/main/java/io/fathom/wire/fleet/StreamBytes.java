// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.fleet;

import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import java.util.concurrent.atomic.LongAdder;

/// Counts the bytes of messages. Any thread.
final class StreamBytes extends ServerStreamTracer.Factory {
    private final LongAdder received = new LongAdder();
    private final LongAdder sent = new LongAdder();
    private final ServerStreamTracer tracer = new ServerStreamTracer() {
        @Override
        public void inboundWireSize(long bytes) {
            received.add(bytes);
        }

        @Override
        public void outboundWireSize(long bytes) {
            sent.add(bytes);
        }
    };

    @Override
    public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
        return tracer;
    }

    long received() {
        return received.sum();
    }

    long sent() {
        return sent.sum();
    }
}
