// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds;

import io.fathom.wire.xds.store.XdsResponse;
import io.fathom.wire.xds.stream.StreamRejection;
import io.fathom.wire.xds.stream.XdsRequest;
import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor.Marshaller;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Between messages and gRPC's streams: requests are read without generated classes, responses write their shared bytes
/// straight into the transport's buffers.
final class AdsMarshallers {
    private AdsMarshallers() {}

    /// Reads requests; never throws, so that the stream can be closed with a proper status.
    static Marshaller<Inbound> requests(Function<InputStream, XdsRequest> decoder) {
        return new Marshaller<>() {
            @Override
            public Inbound parse(InputStream stream) {
                try {
                    return new Inbound.Request(decoder.apply(stream));
                } catch (StreamRejection e) {
                    return new Inbound.Broken(e);
                }
            }

            @Override
            public InputStream stream(Inbound value) {
                throw new UnsupportedOperationException("a server sends no requests");
            }
        };
    }

    static Marshaller<XdsResponse> responses() {
        return new Marshaller<>() {
            @Override
            public InputStream stream(XdsResponse response) {
                return new ResponseStream(response);
            }

            @Override
            public XdsResponse parse(InputStream stream) {
                throw new UnsupportedOperationException("a server gets no responses");
            }
        };
    }

    /// gRPC drains it; reading byte by byte works too, from a copy.
    private static final class ResponseStream extends InputStream implements Drainable, KnownLength {
        private final XdsResponse response;
        private boolean drained;
        private @Nullable InputStream copy;

        ResponseStream(XdsResponse response) {
            this.response = response;
        }

        @Override
        public int drainTo(OutputStream target) throws IOException {
            if (drained) {
                return 0;
            }
            drained = true;
            response.body().writeTo(target);
            return response.size();
        }

        @Override
        public int available() {
            try {
                return copy != null ? copy.available() : drained ? 0 : response.size();
            } catch (IOException e) {
                throw new UncheckedIOException("an array is always readable", e);
            }
        }

        @Override
        public int read() throws IOException {
            return copy().read();
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            return copy().read(target, offset, length);
        }

        private InputStream copy() throws IOException {
            if (copy == null) {
                var bytes = new ByteArrayOutputStream(available());
                drainTo(bytes);
                copy = new ByteArrayInputStream(bytes.toByteArray());
            }
            return copy;
        }
    }
}
