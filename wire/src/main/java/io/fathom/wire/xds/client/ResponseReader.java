// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.client;

import com.google.protobuf.InvalidProtocolBufferException;
import io.envoyproxy.envoy.service.discovery.v3.Resource;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/// Reads a `DeltaDiscoveryResponse` as its bytes come, as the first one may hold the whole mesh: at no time is there
/// more of it in memory than the field at hand. For one thread, used once.
final class ResponseReader {
    private static final int SYSTEM_VERSION = 1;
    private static final int RESOURCES = 2;
    private static final int TYPE_URL = 4;
    private static final int NONCE = 5;
    private static final int REMOVED = 6;
    private static final int INCOMPLETE = -1;

    /// Takes the parts in the order in which they come: the type usually after the resources.
    interface Visitor {
        void resource(Resource resource);

        /// A resource that cannot even be taken apart.
        void broken(String reason);

        void removed(String name);

        void type(String url);

        void nonce(String nonce);

        void systemVersion(String version);
    }

    private final Visitor visitor;
    private final ByteBuf pending = Unpooled.buffer();

    ResponseReader(Visitor visitor) {
        this.visitor = visitor;
    }

    /// Tells the visitor of all fields that are complete by now.
    ///
    /// @throws IOException when this is no response
    void feed(ByteBuf bytes) throws IOException {
        pending.writeBytes(bytes);
        var complete = pending.readerIndex();
        while (field()) {
            complete = pending.readerIndex();
        }
        pending.readerIndex(complete);
        pending.discardReadBytes();
    }

    /// There is no more.
    ///
    /// @throws IOException when something is missing
    void finish() throws IOException {
        if (pending.isReadable()) {
            throw new IOException("the response ends in the middle of a field");
        }
    }

    /// False when the next field is not complete yet.
    private boolean field() throws IOException {
        var tag = varint();
        if (tag == INCOMPLETE) {
            return false;
        }
        return switch ((int) tag & 7) {
            case 0 -> varint() != INCOMPLETE;
            case 1 -> skip(8);
            case 2 -> delimited((int) (tag >>> 3));
            case 5 -> skip(4);
            default -> throw new IOException("no field has the tag " + tag);
        };
    }

    private boolean skip(int bytes) {
        if (pending.readableBytes() < bytes) {
            return false;
        }
        pending.skipBytes(bytes);
        return true;
    }

    private boolean delimited(int field) throws IOException {
        var length = varint();
        if (length > Integer.MAX_VALUE) {
            throw new IOException("a field of " + length + " bytes");
        }
        if (length == INCOMPLETE || pending.readableBytes() < length) {
            return false;
        }
        var size = (int) length;
        switch (field) {
            case SYSTEM_VERSION -> visitor.systemVersion(text(size));
            case RESOURCES -> resource(size);
            case TYPE_URL -> visitor.type(text(size));
            case NONCE -> visitor.nonce(text(size));
            case REMOVED -> visitor.removed(text(size));
            default -> pending.skipBytes(size);
        }
        return true;
    }

    private String text(int size) {
        return pending.readString(size, StandardCharsets.UTF_8);
    }

    private void resource(int size) {
        var bytes = new byte[size];
        pending.readBytes(bytes);
        try {
            visitor.resource(Resource.parseFrom(bytes));
        } catch (InvalidProtocolBufferException e) {
            visitor.broken(String.valueOf(e.getMessage()));
        }
    }

    private long varint() throws IOException {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (!pending.isReadable()) {
                return INCOMPLETE;
            }
            var octet = pending.readByte();
            value |= (long) (octet & 0x7f) << shift;
            if (octet >= 0) {
                return value & Long.MAX_VALUE; // nothing here needs the sign
            }
        }
        throw new IOException("a number without an end");
    }
}
